import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../caller/scope.ts';
import type { ScopeState } from '../caller/scope.ts';
import type { Database } from '../platform/postgres/database.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Appliers } from './apply.ts';
import { readScopes } from './store.ts';

// Fraction of one attempt's deadline: 300 ms by default.
const CATCH_UP_SHARE = 0.6;
const RETRY_MS = 20;
const NOT_APPLIED = 'An earlier permission change has not taken effect yet, so nothing was saved.';

export interface CatchUpDependencies {
  database: Database;
  appliers: Appliers;
  /** Time for one attempt of a request to OpenFGA. */
  deadlineMs: number;
}

/**
 * Applies the pending changes of dirty scopes, or throws `unavailable`: no decision is made in a
 * dirty scope. Waits only for the revisions that this request read; otherwise a scope that changes
 * constantly would keep refusing other requests. A stuck scope needs a repair, so the request is
 * refused without a call to OpenFGA.
 */
export const createCatchUp = ({ database, appliers, deadlineMs }: CatchUpDependencies) =>
  async function catchUp(scopes: readonly ScopeState[]): Promise<void> {
    const dirty = scopes.filter((scope) => scope.applied < scope.revision);
    if (dirty.length === 0) return;
    const required = new Map(dirty.map((scope) => [scopeName(scope), scope.revision]));
    for (const until = performance.now() + CATCH_UP_SHARE * deadlineMs; ;) {
      const now = await readScopes(database.pool, dirty);
      const behind = now.filter((scope) => scope.applied < required.get(scopeName(scope))!);
      if (behind.length === 0) return;
      const remaining = until - performance.now();
      if (remaining <= 0 || behind.some(({ is_stuck }) => is_stuck))
        throw unavailable('OpenFGA is behind the database', undefined, NOT_APPLIED);
      const applied = await Promise.all(behind.map((scope) => appliers.apply(scope, remaining)));
      // Without this pause, an applier that fails at once would be called in a tight loop.
      if (applied.includes(false)) await setTimeout(RETRY_MS);
    }
  };
