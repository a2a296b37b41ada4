import { z } from 'zod';
import { PageQuery } from './pages.ts';
import { withoutNul } from './without-nul.ts';
import { wholeNumber } from './whole-number.ts';

const MAX_TEXT = 100;
const MAX_UNUSED_DAYS = 3650;

const textParameter = (described: string) =>
  withoutNul(z.string().trim().min(1).max(MAX_TEXT)).optional().describe(described);

const NAME_BEGINS = 'Only entries whose name begins with this text, in any case.';

/** How a list is sorted: newest first, by name, or by last use, the longest ago first. */
export type Sort = '-created_at' | 'name' | 'last_used_at';

const sortParameter = <Order extends Sort>(orders: readonly [Order, ...Order[]]) =>
  z
    .enum(orders)
    .optional()
    .describe(
      `The order: ${orders.map((order) => `\`${order}\` (${ORDERS[order]})`).join(', ')}. Default: that of the search, else newest first.`,
    )
    .meta({ parameter: `sort_by_${orders.slice(1).join('_or_')}` });

const ORDERS: Record<Sort, string> = {
  '-created_at': 'newest first',
  name: 'from A to Z',
  last_used_at: 'longest unused first',
};

/** What a list may be asked for, in addition to a page. */
export interface ListQuery extends PageQuery {
  q?: string | undefined;
  sort?: Sort | undefined;
  unused_days?: number | undefined;
}

/** The query of a list that is searched by what the description says. */
export const searchQuery = (described = NAME_BEGINS) =>
  PageQuery.extend({ q: textParameter(described) });
export type SearchQuery = z.infer<ReturnType<typeof searchQuery>>;

/** The query of a list that is searched by name, and sorted by it. */
export const NamedListQuery = searchQuery().extend({
  sort: sortParameter(['-created_at', 'name']),
});

/** The query of a list of credentials without names. */
export const UsedListQuery = PageQuery.extend({
  unused_days: wholeNumber(MAX_UNUSED_DAYS, {
    description: 'Only those that were not used, or created, in so many days.',
  }).optional(),
  sort: sortParameter(['-created_at', 'last_used_at']),
});

/** The query of a list of credentials. */
export const CredentialListQuery = UsedListQuery.extend({
  q: textParameter(NAME_BEGINS),
  sort: sortParameter(['-created_at', 'name', 'last_used_at']),
});

/** Returns the order of a list, which is that of what it is searched for, unless it is named. */
export function sortOf({ sort, q, unused_days }: ListQuery): Sort {
  if (sort !== undefined) return sort;
  if (q !== undefined) return 'name';
  return unused_days === undefined ? '-created_at' : 'last_used_at';
}
