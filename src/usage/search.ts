import type { Queryable } from '../platform/postgres/database.ts';
import { invalidCursor, toPage } from '../platform/http/pages.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import { findCall, findHorizon, listCalls } from './store.ts';
import type { CallFilters, CallRow, CallSource } from './store.ts';

// Maximum number of calls that a filtered page scans, so that rare matches cannot slow it down; the
// next page continues from there.
const MAX_SCANNED = 10_000;

/** Returns a page of the calls of an owner or a key, newest first. */
export async function searchCalls(
  pool: Queryable,
  source: CallSource,
  query: PageQuery & CallFilters,
): Promise<Page<CallRow>> {
  const { limit, cursor } = query;
  const after = cursor === undefined ? null : await findCall(pool, source, cursor);
  if (cursor !== undefined && after === null) throw invalidCursor();
  const search = { ...query, after };
  const isFiltered = [query.credential_id, query.account_id, query.item, query.outcome].some(
    (filter) => filter !== undefined,
  );
  const horizon = isFiltered
    ? await findHorizon(pool, source, { ...search, maxScanned: MAX_SCANNED })
    : null;
  const rows = await listCalls(pool, source, { ...search, horizon, limit: limit + 1 });
  const page = toPage(rows, query);
  return { ...page, next_cursor: page.next_cursor ?? horizon?.id ?? null };
}
