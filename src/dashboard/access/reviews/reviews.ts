import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  DecisionEdit,
  Flag,
  Review,
  ReviewDecision,
  ReviewEntry,
} from '../../../explorer/reviews/schema.ts';
import { request } from '../../api/request.ts';
import { pagedQuery, pathOf } from '../../organizations/organizations.ts';

export type { Flag, Review, ReviewDecision, ReviewEntry };

/** Reasons to look at an entry first. */
export const FLAGS = [
  ...(['unused_90_days', 'broad', 'writes', 'owner_left', 'no_owner'] as const),
  ...(['follows_all_teams', 'unrestricted'] as const),
] as const satisfies readonly Flag[];

export const DECISIONS = ['keep', 'reduce', 'revoke'] as const satisfies readonly ReviewDecision[];

/** Which entries are shown; kept in the address. */
export interface EntryFilters {
  flag?: Flag;
  decision?: ReviewDecision | 'none';
}

/** Reads the filters of an address; what is invalid is left out. */
export function readEntryFilters({ flag, decision }: Record<string, unknown>): EntryFilters {
  const knownFlag = FLAGS.find((one) => one === flag);
  const known = [...DECISIONS, 'none' as const].find((one) => one === decision);
  return {
    ...(knownFlag === undefined ? {} : { flag: knownFlag }),
    ...(known === undefined ? {} : { decision: known }),
  };
}

export const reviewsPath = (organization_id: string, rest = '') =>
  pathOf(organization_id, `/access/reviews${rest}`);

/** The reviews of an organization, newest first. */
export const reviewsQuery = (organization_id: string) =>
  pagedQuery<Review>(reviewsPath(organization_id));

export const reviewQuery = (organization_id: string, review_id: string) =>
  queryOptions({
    queryKey: ['review', organization_id, review_id],
    queryFn: ({ signal }) =>
      request<Review>(reviewsPath(organization_id, `/${review_id}`), { signal }),
  });

/** What everyone had when the review was taken, with the decisions on it. */
export const entriesQuery = (organization_id: string, review_id: string, filters: EntryFilters) =>
  infiniteQueryOptions({
    queryKey: ['review', organization_id, review_id, 'entries', filters],
    queryFn({ signal, pageParam }) {
      const query = new URLSearchParams({ ...filters });
      if (pageParam !== null) query.set('cursor', pageParam);
      return request<{ data: ReviewEntry[]; next_cursor: string | null }>(
        `${reviewsPath(organization_id, `/${review_id}/entries`)}?${query}`,
        { signal },
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Entries change by decisions alone, each of which is put into the list.
    staleTime: 60_000,
  });

/** The address of a file with all entries that the filters select. */
export const entriesFile = (organization_id: string, review_id: string, filters: EntryFilters) =>
  `${reviewsPath(organization_id, `/${review_id}/entries`)}?${new URLSearchParams({ ...filters, format: 'csv' })}`;

export const decide = (path: string, entry_id: string, body: DecisionEdit) =>
  request<ReviewEntry>(`${path}/entries/${entry_id}`, { method: 'PATCH', body });

export const closeReview = (path: string) =>
  request<Review>(path, { method: 'PATCH', body: { status: 'closed' } });
