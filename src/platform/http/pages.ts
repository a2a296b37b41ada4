import { z } from 'zod';
import { malformed } from '../errors/refusal.ts';
import { foldCase } from '../text/fold-case.ts';
import { wholeNumber } from './whole-number.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
// A position can contain the path of a resource, of 1 024 bytes.
const MAX_CURSOR = 4_096;

/**
 * `?limit=&cursor=` of every list. Clients see a cursor sealed for them and this list
 * (gateway/rest/list-cursors.ts); for handlers it is the position after which the page begins: an id, or
 * what `sortedPage` made.
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

/**
 * Returns a page of a list held in memory; `q` searches it by name. If the last entry of the page
 * before was deleted, the page begins where that entry was.
 */
export function pageOfList<Item extends { id: string; name: string }>(
  list: readonly Item[],
  { limit, cursor, q }: PageQuery & { q?: string | undefined },
): Page<Item> {
  const begin = cursor === undefined ? 0 : placeAfter(list, cursor);
  const found = list
    .map((item, place) => ({ item, place }))
    .slice(begin)
    .filter(({ item }) => matchesSearch(item.name, q));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(({ item }) => item),
    next_cursor: found.length > limit && last ? `${last.item.id} ${last.place}` : null,
  };
}

/** Returns the place after the entry of a cursor, or where that entry was. */
function placeAfter(list: readonly { id: string }[], cursor: string): number {
  // A gateway of the release before sends the id alone.
  const [id, place] = cursor.split(' ');
  const found = list.findIndex((entry) => entry.id === id);
  if (found < 0 && place === undefined) throw invalidCursor();
  return found < 0 ? Number(place) : found + 1;
}

/** Returns whether a name begins with a text, in any case; without a text, every name does. */
const matchesSearch = (name: string, text: string | undefined): boolean =>
  text === undefined || foldCase(name).startsWith(foldCase(text));
