import type { Page, PageQuery } from '../../platform/http/pages.ts';
import { invalidCursor } from '../../platform/http/pages.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { listEntries } from './entries-store.ts';
import { recordOf } from './record.ts';
import type { EntryFilter, Review, ReviewEntry, ReviewParams } from './schema.ts';

const ROWS_OF_FILE = 200;

/** Creates the functions that read the entries of a review. */
export function createEntries(pool: Queryable, get: (params: ReviewParams) => Promise<Review>) {
  async function read(
    params: ReviewParams,
    filter: EntryFilter,
    { limit, after }: { limit: number; after: number | null },
  ) {
    // The extra row shows that there is a next page.
    const rows = await listEntries(pool, params, filter, { limit: limit + 1, after });
    const data = rows.slice(0, limit);
    return { data, next: rows.length > limit ? data.at(-1)!.position : null };
  }

  return {
    async entries(
      params: ReviewParams,
      { limit, cursor, ...filter }: PageQuery & EntryFilter,
    ): Promise<Page<ReviewEntry>> {
      await get(params);
      const after = cursor === undefined ? null : Number(cursor);
      if (after !== null && !Number.isSafeInteger(after)) throw invalidCursor();
      const { data, next } = await read(params, filter, { limit, after });
      return { data: data.map(recordOf), next_cursor: next === null ? null : String(next) };
    },
    /** Yields all entries that a filter selects, in pages. */
    async *entryPages(params: ReviewParams, filter: EntryFilter) {
      await get(params);
      let after: number | null = null;
      do {
        const page: Awaited<ReturnType<typeof read>> = await read(params, filter, {
          ...{ limit: ROWS_OF_FILE, after },
        });
        yield page.data.map(recordOf);
        after = page.next;
      } while (after !== null);
    },
  };
}
