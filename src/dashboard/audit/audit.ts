import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AuditRecord, OrganizationAuditRecord } from '../../audit/schema.ts';
import { request } from '../api/request.ts';

/** What the log shows; kept in the address. Days are of the person's time zone, both inclusive. */
export interface AuditFilters {
  action?: string;
  outcome?: 'done' | 'refused';
  from?: string;
  to?: string;
}

/** An entry in the log of a person, whose actors have no address, or of an organization. */
export type AuditEntryRecord = Omit<AuditRecord, 'actor'> & {
  actor: AuditRecord['actor'] & Partial<OrganizationAuditRecord['actor']>;
};

/** Groups of actions that the filter offers; each is what the names of its actions start with. */
export const ACTION_GROUPS = [
  'session',
  'password',
  'passkey',
  'totp',
  'recovery_codes',
  'identity',
  'email',
  'profile',
  'key',
  'oauth_client',
  'connection',
  'mcp_settings',
  'account',
] as const;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the filters of an address; what is invalid is left out. */
export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  const { action, outcome, from, to } = search;
  return {
    ...(typeof action === 'string' && /^[a-z_.]{1,64}$/.test(action) ? { action } : {}),
    ...(outcome === 'done' || outcome === 'refused' ? { outcome } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
  };
}

export const isDay = (value: unknown): value is string =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value));

function parametersOf({ action, outcome, from, to }: AuditFilters): URLSearchParams {
  const parameters = new URLSearchParams();
  if (action !== undefined) parameters.set('action', action);
  if (outcome !== undefined) parameters.set('outcome', outcome);
  if (from !== undefined) parameters.set('from', startOf(from, 0));
  // The service's end is exclusive.
  if (to !== undefined) parameters.set('to', startOf(to, 1));
  return parameters;
}

/** Returns the timestamp at which a day, or a later one, starts here. */
export function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

/** The entries that the filters select, newest first. */
export const auditQuery = (path: string, filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', path, filters],
    queryFn({ signal, pageParam }) {
      const parameters = parametersOf(filters);
      if (pageParam !== null) parameters.set('cursor', pageParam);
      return request<{ data: AuditEntryRecord[]; next_cursor: string | null }>(
        `${path}?${parameters.toString()}`,
        { signal },
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The address of a file with all entries that the filters select. */
export function auditFile(path: string, filters: AuditFilters): string {
  const parameters = parametersOf(filters);
  parameters.set('format', 'csv');
  return `${path}?${parameters.toString()}`;
}
