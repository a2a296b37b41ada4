import { z } from 'zod';
import { malformed } from '../errors/refusal.ts';
import { wholeNumber } from './whole-number.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
// A position can contain a name of 100 characters.
const MAX_CURSOR = 1_000;

/**
 * `?limit=&cursor=` of every list. Clients see a cursor sealed for them and this list
 * (gateway/list-cursors.ts); for handlers it is the id of the previous page's last item.
 */
export const PageQuery = z.object({
  limit: wholeNumber(MAX_LIMIT, {
    description: 'Maximum number of entries on the page.',
    default: DEFAULT_LIMIT,
  }).default(DEFAULT_LIMIT),
  cursor: z
    .string()
    .max(MAX_CURSOR)
    .optional()
    .describe('`next_cursor` of the previous page of this list; omit it for the first page.'),
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

/** The answer of a list that is short enough for one page. */
export const wholeList = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z.null().describe('Always null: the answer is the whole list.'),
  });

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

/** Returns a page of a list held in memory; `q` searches it by name. */
export function pageOfList<Item extends { id: string; name: string }>(
  list: readonly Item[],
  query: PageQuery & { q?: string | undefined },
): Page<Item> {
  const all = list.filter(({ name }) => matchesSearch(name, query.q));
  const before = all.findIndex(({ id }) => id === query.cursor);
  if (query.cursor !== undefined && before < 0) throw invalidCursor();
  return toPage(all.slice(before + 1, before + 2 + query.limit), query);
}

/** Returns whether a name begins with a text, in any case; without a text, every name does. */
const matchesSearch = (name: string, text: string | undefined): boolean =>
  text === undefined || name.toLowerCase().startsWith(text.normalize('NFC').toLowerCase());
