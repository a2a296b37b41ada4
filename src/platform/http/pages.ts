import { z } from 'zod';
import { malformed } from '../errors/refusal.ts';

const MAX_LIMIT = 200;
const MAX_CURSOR = 200;

/**
 * `?limit=&cursor=` of every list. Clients see a cursor sealed for them and this list
 * (gateway/list-cursors.ts); for handlers it is the id of the previous page's last item.
 */
export const PageQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/)
    .transform(Number)
    .refine((limit) => limit <= MAX_LIMIT, { message: `must be at most ${MAX_LIMIT}` })
    .default(50),
  cursor: z.string().max(MAX_CURSOR).optional(),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** Whether a route's query is that of a list. */
export const isPageQuery = (query: z.ZodType | undefined): boolean =>
  query instanceof z.ZodObject && 'limit' in query.shape && 'cursor' in query.shape;

export const invalidCursor = () =>
  malformed('invalid_cursor', 'The cursor does not belong to this list.');

export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable() });

/** Builds a page from rows read with `limit + 1`; the extra row shows that there is a next page. */
export function toPage<Item extends { id: string }>(
  rows: readonly Item[],
  { limit }: PageQuery,
): Page<Item> {
  const data = rows.slice(0, limit);
  return { data, next_cursor: rows.length > limit ? data.at(-1)!.id : null };
}

/**
 * Iterates over a long list page by page; reads a page only after all earlier rows are consumed.
 */
export async function* iteratePages<Row>(
  read: (page: { limit: number; after: Row | null }) => Promise<readonly Row[]>,
  { rows, max }: { rows: number; max: number },
): AsyncGenerator<Row> {
  let after: Row | null = null;
  for (let left = max; left > 0; left -= rows) {
    const limit = Math.min(rows, left);
    const page: readonly Row[] = await read({ limit, after });
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1)!;
  }
}

/** Returns a page of a list held in memory. */
export function pageOfList<Item extends { id: string }>(
  all: readonly Item[],
  query: PageQuery,
): Page<Item> {
  const before = all.findIndex(({ id }) => id === query.cursor);
  if (query.cursor !== undefined && before < 0) throw invalidCursor();
  return toPage(all.slice(before + 1, before + 2 + query.limit), query);
}
