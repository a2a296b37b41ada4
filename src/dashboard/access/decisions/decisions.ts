import { infiniteQueryOptions } from '@tanstack/react-query';
import type { DecisionReason, DecisionRecord } from '../../../decision-log/schema.ts';
import { isId } from '../../api/ids.ts';
import { request } from '../../api/request.ts';
import { isDay, startOf } from '../../audit/audit.ts';
import { pathOf } from '../../organizations/organizations.ts';

export type Decision = DecisionRecord;

/** Why requests and calls are denied. */
export const REASONS = [
  ...(['not_connected', 'capability_missing', 'not_selected', 'held', 'not_exposed'] as const),
  ...(['key_policy', 'permission_missing', 'insufficient_scope', 'interactive_only'] as const),
  ...(['not_a_member', 'not_found', 'not_in_team', 'not_visible'] as const),
  ...(['organization_suspended', 'address_not_allowed', 'outside_hours'] as const),
] as const satisfies readonly DecisionReason[];

/** What the list shows; kept in the address. Days are of the person's time zone, both inclusive. */
export interface DecisionFilters {
  subject?: string;
  action?: string;
  outcome?: Decision['outcome'];
  reason?: DecisionReason;
  from?: string;
  to?: string;
}

/** Reads the filters of an address; what is invalid is left out. */
export function readDecisionFilters(search: Record<string, unknown>): DecisionFilters {
  const { subject, action, outcome, reason, from, to } = search;
  const known = REASONS.find((one) => one === reason);
  return {
    ...(isId(subject) ? { subject } : {}),
    ...(typeof action === 'string' && action !== '' ? { action } : {}),
    ...(outcome === 'allowed' || outcome === 'denied' ? { outcome } : {}),
    ...(known === undefined ? {} : { reason: known }),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  };
}

function parametersOf({ from, to, ...same }: DecisionFilters): URLSearchParams {
  const parameters = new URLSearchParams({ ...same });
  if (from !== undefined) parameters.set('since', startOf(from, 0));
  // The service's end is exclusive.
  if (to !== undefined) parameters.set('until', startOf(to, 1));
  return parameters;
}

const pathTo = (organization_id: string) => pathOf(organization_id, '/access/decisions');

/** How often the newest are read again, while only these are shown. */
const REFRESH_MS = 10_000;

/** The decisions that the filters select, newest first. */
export const decisionsQuery = (organization_id: string, filters: DecisionFilters) =>
  infiniteQueryOptions({
    queryKey: ['access', organization_id, 'decisions', filters],
    queryFn({ signal, pageParam }) {
      const parameters = parametersOf(filters);
      if (pageParam !== null) parameters.set('cursor', pageParam);
      return request<{ data: Decision[]; next_cursor: string | null }>(
        `${pathTo(organization_id)}?${parameters}`,
        { signal },
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? REFRESH_MS : false),
  });

/** The address of a file with the decisions that the filters select. */
export function decisionFile(organization_id: string, filters: DecisionFilters): string {
  const parameters = parametersOf(filters);
  parameters.set('format', 'csv');
  return `${pathTo(organization_id)}?${parameters}`;
}
