import { infiniteQueryOptions } from '@tanstack/react-query';
import type { CallOutcome } from '../../limits/schema.ts';
import type { OrganizationCall } from '../../usage/organizations/schema.ts';
import type { CallRecord } from '../../usage/schema.ts';
import { request } from '../api/request.ts';

/** How a call can end. */
export const outcomes = [
  'ok',
  'tool_error',
  'failed',
  'timed_out',
  'cancelled',
  'refused',
] as const satisfies readonly CallOutcome[];

/** Which calls are listed; `from` and `to` are days, both included. */
export interface CallFilter {
  outcome?: CallOutcome;
  called?: string;
  /** Id of the key that made them. */
  key?: string;
  from?: string;
  to?: string;
}

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

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a filter from the search parameters of an address. */
export function callFilterOf(search: Record<string, unknown>): CallFilter {
  const { outcome, called, key, from, to } = search;
  const known = outcomes.find((one) => one === outcome);
  const isDay = (value: unknown): value is string =>
    typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value));
  return {
    ...(known === undefined ? {} : { outcome: known }),
    ...(typeof called === 'string' && called !== '' ? { called } : {}),
    ...(typeof key === 'string' && ID.test(key) ? { key } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  };
}
