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

/** A report about subjects: what was found, and how entries are described. */
export interface Report<Entry, Found extends { row: SubjectRow } = { row: SubjectRow }> {
  look: Look;
  found: readonly Found[];
  describe(some: readonly Found[]): Promise<Entry[]>;
}

const ROWS_OF_FILE = 200;

/** Whether a credential works depends on more than its class, so it is read for those that are shown. */
async function usableOf<Found extends { row: SubjectRow }>(look: Look, some: readonly Found[]) {
  const usable = await look.usableOf(some.map(({ row }) => row));
  return some.filter(({ row }) => usable.has(row.id));
}

/** Returns a page of a report. */
export async function reportPage<Entry, Found extends { row: SubjectRow }>(
  { look, found, describe }: Report<Entry, Found>,
  query: PageQuery,
): Promise<ReportPage<Entry>> {
  const listed = found.map((one) => ({ one, id: one.row.id, name: '' }));
  const chosen: Found[] = [];
  let cursor = query.cursor;
  let next: string | null;
  do {
    const limit = query.limit - chosen.length;
    const page = pageOfList(listed, { limit, ...(cursor === undefined ? {} : { cursor }) });
    const some = page.data.map(({ one }) => one);
    chosen.push(...(await usableOf(look, some)));
    next = page.next_cursor;
    cursor = next ?? undefined;
  } while (chosen.length < query.limit && next !== null);
  const { as_of, model_id } = look;
  return { data: await describe(chosen), next_cursor: next, as_of, model_id };
}

/** Yields all entries of a report for a file, each part once the one before is sent. */
export async function* reportParts<Entry, Found extends { row: SubjectRow }>(
  begin: () => Promise<Report<Entry, Found>>,
): AsyncGenerator<readonly Entry[]> {
  const { look, found, describe } = await begin();
  for (let at = 0; at < found.length; at += ROWS_OF_FILE)
    yield await describe(await usableOf(look, found.slice(at, at + ROWS_OF_FILE)));
}
