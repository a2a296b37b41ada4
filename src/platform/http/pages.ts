import { z } from 'zod';
import { malformed } from '../errors/refusal.ts';

const MOST = 200;

/** `?limit=&cursor=` of every list; a cursor is the id of the last item of the page before. */
export const PageQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/)
    .transform(Number)
    .refine((limit) => limit <= MOST, { message: `At most ${MOST}.` })
    .default(50),
  cursor: z.guid().toLowerCase().optional(),
});
export type PageQuery = z.infer<typeof PageQuery>;

export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable() });

/** A page of rows of which one more than the limit was read. */
export function cutPage<Item extends { id: string }>(
  rows: readonly Item[],
  { limit }: PageQuery,
): Page<Item> {
  const data = rows.slice(0, limit);
  return { data, next_cursor: rows.length > limit ? data.at(-1)!.id : null };
}

/** A long list, a page at a time: the next is read when every row of this one was taken. */
export async function* inPages<Row>(
  read: (page: { limit: number; after: Row | null }) => Promise<readonly Row[]>,
  { rows, most }: { rows: number; most: number },
): AsyncGenerator<Row> {
  let after: Row | null = null;
  for (let left = most; left > 0; left -= rows) {
    const limit = Math.min(rows, left);
    const page: readonly Row[] = await read({ limit, after });
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1)!;
  }
}

/** A page of a list that is wholly in memory. */
export function pageIn<Item extends { id: string }>(
  all: readonly Item[],
  query: PageQuery,
): Page<Item> {
  const before = all.findIndex(({ id }) => id === query.cursor);
  if (query.cursor !== undefined && before < 0)
    throw malformed('invalid_cursor', 'The cursor is not of this list.');
  return cutPage(all.slice(before + 1, before + 2 + query.limit), query);
}
