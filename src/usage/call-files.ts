import { tooManyRows } from '../caller/table.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { findHorizon } from './store.ts';
import type { CallFilters, CallSource } from './store.ts';

const MAX_SEARCHED = 50_000;
const ROWS_OF_PAGE = 200;

/** How a list of calls is sent as a file, with the columns that only this list has. */
export const callTable = (who: readonly string[], more: readonly string[] = []) => ({
  file_name: 'toolgate-calls',
  max_rows: MAX_SEARCHED,
  columns: [
    ...['id', 'at', ...who, 'kind', 'item.id', 'item.name', 'outcome', 'layer', 'duration_ms'],
    ...more,
  ],
});

/**
 * Yields the pages of a file. Throws 422 if too many calls would have to be searched; other filters
 * than the period make a file shorter, but not the search.
 */
export async function* callPages<Call>(
  pool: Queryable,
  source: CallSource,
  { from, to }: CallFilters,
  read: (page: PageQuery) => Promise<Page<Call>>,
): AsyncGenerator<readonly Call[]> {
  const search = { from, to, after: null, maxScanned: MAX_SEARCHED + 1 };
  if ((await findHorizon(pool, source, search)) !== null) throw tooManyRows(MAX_SEARCHED);
  for (let cursor: string | undefined; ;) {
    const { data, next_cursor } = await read({ limit: ROWS_OF_PAGE, cursor });
    yield data;
    if (next_cursor === null) return;
    cursor = next_cursor;
  }
}
