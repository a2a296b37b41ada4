import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../caller/scope.ts';
import type { ScopeState } from '../caller/scope.ts';
import type { Database } from '../platform/postgres/database.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Appliers } from './apply.ts';
import { readScopes } from './store.ts';

const CATCH_UP_MS = 300;
const RETRY_MS = 20;
const NOT_YET = 'An earlier permission change has not taken effect yet, so nothing was saved.';

/**
 * Applies the pending changes of dirty scopes, or throws `unavailable`: nothing is decided in a
 * dirty scope. Waits for the revisions this request read and no later ones; otherwise a scope that
 * changes constantly would stay closed to others. A stuck scope needs a repair, so it is refused
 * without a call to OpenFGA.
 */
export const createCatchUp = ({ database, appliers }: { database: Database; appliers: Appliers }) =>
  async function catchUp(scopes: readonly ScopeState[]): Promise<void> {
    const dirty = scopes.filter((scope) => scope.applied < scope.revision);
    if (dirty.length === 0) return;
    const required = new Map(dirty.map((scope) => [scopeName(scope), scope.revision]));
    for (const until = performance.now() + CATCH_UP_MS; ;) {
      const now = await readScopes(database.pool, dirty);
      const behind = now.filter((scope) => scope.applied < required.get(scopeName(scope))!);
      if (behind.length === 0) return;
      const left = until - performance.now();
      if (left <= 0 || behind.some(({ is_stuck }) => is_stuck))
        throw unavailable('OpenFGA is behind the database', undefined, NOT_YET);
      const applied = await Promise.all(behind.map((scope) => appliers.apply(scope, left)));
      // Without this pause, an applier that fails at once would be called in a tight loop.
      if (applied.includes(false)) await setTimeout(RETRY_MS);
    }
  };
