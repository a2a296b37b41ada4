import type { CallOutcome } from '../../limits/schema.ts';

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
