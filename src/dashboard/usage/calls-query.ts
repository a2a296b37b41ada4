import { infiniteQueryOptions } from '@tanstack/react-query';
import type { OrganizationCall } from '../../usage/organizations/schema.ts';
import type { CallRecord } from '../../usage/schema.ts';
import { request } from '../api/request.ts';
import type { CallFilter } from './call-filter.ts';

/** A call. In a key's own list it does not name the key; in an organization's, member and credential. */
export type Call = Omit<CallRecord, 'key' | 'arguments'> &
  Partial<Pick<CallRecord, 'key'> & Pick<OrganizationCall, 'member' | 'credential'>>;

interface CallPage {
  data: Call[];
  next_cursor: string | null;
}

/** Where calls are listed. */
export interface CallSource {
  path: string;
  /** What is always sent. */
  fixed?: Readonly<Record<string, string>>;
  /** The parameter that selects a key. */
  keyName?: 'key_id' | 'credential_id';
}

export const callsQuery = (source: CallSource, filter: CallFilter) =>
  infiniteQueryOptions({
    queryKey: ['calls', source, filter],
    queryFn: ({ signal, pageParam }) =>
      request<CallPage>(
        addressOf(source, filter, pageParam === null ? {} : { cursor: pageParam }),
        {
          signal,
        },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Returns the address of the calls that a filter selects, as a page or as a file. */
export function addressOf(
  { path, fixed = {}, keyName = 'key_id' }: CallSource,
  { outcome, called, key, from, to }: CallFilter,
  more: Record<string, string>,
): string {
  const query = new URLSearchParams({
    ...more,
    ...fixed,
    ...(outcome === undefined ? {} : { outcome }),
    ...(called === undefined ? {} : { item: called }),
    ...(key === undefined ? {} : { [keyName]: key }),
    ...(from === undefined ? {} : { from: startOf(from, 0) }),
    ...(to === undefined ? {} : { to: startOf(to, 1) }),
  });
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The beginning of a day, or of a later one, in the person's time zone. */
function startOf(day: string, later: number): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}
