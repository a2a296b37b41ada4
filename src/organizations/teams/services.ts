import type { ScopeRef } from '../../caller/scope.ts';

/**
 * Returns whether a change that writes these scopes covers all keys that it affects now: keys may
 * have been created, bound or revoked since the change was decided.
 */
export const isCovered = (affected: readonly ScopeRef[], written: readonly ScopeRef[]): boolean =>
  new Set(affected.map(({ id }) => id)).isSubsetOf(new Set(written.map(({ id }) => id)));
