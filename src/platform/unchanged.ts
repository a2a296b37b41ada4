import { isDeepStrictEqual } from 'node:util';

/**
 * Returns whether an edit changes nothing. Callers then return the stored record: a change would
 * invalidate the cached decisions of everyone it may concern, and be listed in the audit log. Lists
 * are compared as sets, since the order of permissions, roles or teams means nothing.
 */
export const isUnchanged = (stored: unknown, edited: unknown): boolean =>
  isDeepStrictEqual(withSets(stored), withSets(edited));

function withSets(value: unknown): unknown {
  if (Array.isArray(value)) return new Set(value.map(withSets));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, withSets(field)]));
}
