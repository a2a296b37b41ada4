import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type {
  OrganizationDraft,
  OrganizationListing,
  OrganizationRecord,
} from '../../organizations/schema.ts';
import { readAll } from '../api/lists.ts';
import { request } from '../api/request.ts';

export type Organization = OrganizationListing;

/** The person's organizations, with what they may do in each: also those they may not view. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: ({ signal }) => readAll<Organization>('/api/organizations', signal),
  staleTime: 30_000,
});

export const createOrganization = (draft: z.input<typeof OrganizationDraft>) =>
  request<OrganizationRecord>('/api/organizations', { body: draft });

export const pathOf = (organization_id: string, rest = '') =>
  `/api/organizations/${organization_id}${rest}`;

/** A list that is read page by page; empty parameters are not sent. */
export const pagedQuery = <Entry>(path: string, parameters: Record<string, string> = {}) => {
  const sent = Object.entries(parameters).filter(([, value]) => value !== '');
  return infiniteQueryOptions({
    queryKey: ['paged', path, Object.fromEntries(sent)],
    queryFn: ({ signal, pageParam }) =>
      request<{ data: Entry[]; next_cursor: string | null }>(
        `${path}?${new URLSearchParams([...sent, ...(pageParam === null ? [] : [['cursor', pageParam]])])}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
};

/** A whole list, for choices. */
export const wholeQuery = <Entry>(path: string) =>
  queryOptions({
    queryKey: ['whole', path],
    queryFn: ({ signal }) => readAll<Entry>(path, signal),
  });
