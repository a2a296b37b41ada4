import { pageOfList } from '../../platform/http/pages.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import type { Look } from '../look.ts';
import type { SubjectRow } from './store.ts';

export type ReportQuery = PageQuery;

/** A page of a report, with what it was computed at. */
export interface ReportPage<Entry> {
  data: Entry[];
  next_cursor: string | null;
  as_of: string;
  model_id: string;
}

interface Reported {
  row: SubjectRow;
}

/**
 * Returns a page of a report about subjects. `usable` are read for the page alone: whether a credential
 * works depends on more than its class.
 */
export async function reportPage<Found extends Reported, Entry>(
  look: Look,
  found: readonly Found[],
  query: ReportQuery,
  describe: (page: readonly Found[]) => Promise<Entry[]>,
): Promise<ReportPage<Entry>> {
  const listed = found.map((one) => ({ one, id: one.row.id, name: '' }));
  const chosen: Found[] = [];
  let cursor = query.cursor;
  let next: string | null;
  do {
    const limit = query.limit - chosen.length;
    const page = pageOfList(listed, { limit, ...(cursor === undefined ? {} : { cursor }) });
    const usable = await look.usableOf(page.data.map(({ one }) => one.row));
    chosen.push(...page.data.flatMap(({ one }) => (usable.has(one.row.id) ? [one] : [])));
    next = page.next_cursor;
    cursor = next ?? undefined;
  } while (chosen.length < query.limit && next !== null);
  const { as_of, model_id } = look;
  return { data: await describe(chosen), next_cursor: next, as_of, model_id };
}
