import { pageOfList } from '../../platform/http/pages.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import type { Look } from '../look.ts';
import type { SubjectRow } from './store.ts';

/** A page of a report, with what it was computed at. */
export interface ReportPage<Entry> {
  data: Entry[];
  next_cursor: string | null;
  as_of: string;
  model_id: string;
}

/** A subject that a report found. */
export type Found = Pick<SubjectRow, 'kind' | 'id'>;
/** A found subject with its row, which is read only for those that are shown. */
export type Shown<One extends Found> = One & { row: SubjectRow };

/** A report about subjects: what was found, and how entries are described. */
export interface Report<Entry, One extends Found = Found> {
  look: Look;
  found: readonly One[];
  describe(some: readonly Shown<One>[]): Promise<Entry[]>;
}

/** Returns what was found in classes in the order of lists: by kind, oldest first. */
export const inOrder = <One extends Found>(found: readonly One[]): One[] =>
  [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((same) =>
    same.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  );

const ROWS_OF_FILE = 200;

/** Whether a credential works depends on more than its class, so it is read for those that are shown. */
async function shownOf<One extends Found>(look: Look, some: readonly One[]): Promise<Shown<One>[]> {
  const usable = await look.usableOf(some);
  const rows = await look.rowsOf([...usable]);
  return some.flatMap((one) => {
    const row = usable.has(one.id) ? rows.get(one.id) : undefined;
    return row === undefined ? [] : [{ ...one, row }];
  });
}

/** Returns a page of a report. */
export async function reportPage<Entry, One extends Found>(
  { look, found, describe }: Report<Entry, One>,
  query: PageQuery,
): Promise<ReportPage<Entry>> {
  const listed = found.map((one) => ({ one, id: one.id, name: '' }));
  const chosen: Shown<One>[] = [];
  let cursor = query.cursor;
  let next: string | null;
  do {
    const limit = query.limit - chosen.length;
    const page = pageOfList(listed, { limit, ...(cursor === undefined ? {} : { cursor }) });
    const some = page.data.map(({ one }) => one);
    chosen.push(...(await shownOf(look, some)));
    next = page.next_cursor;
    cursor = next ?? undefined;
  } while (chosen.length < query.limit && next !== null);
  const { as_of, model_id } = look;
  return { data: await describe(chosen), next_cursor: next, as_of, model_id };
}

/** Yields all entries of a report for a file, each part once the one before is sent. */
export async function* reportParts<Entry, One extends Found>(
  begin: () => Promise<Report<Entry, One>>,
): AsyncGenerator<readonly Entry[]> {
  const { look, found, describe } = await begin();
  for (let at = 0; at < found.length; at += ROWS_OF_FILE)
    yield await describe(await shownOf(look, found.slice(at, at + ROWS_OF_FILE)));
}
