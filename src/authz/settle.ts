import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../caller/scope.ts';
import type { ScopeState } from '../caller/scope.ts';
import type { Database } from '../platform/postgres/database.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Appliers } from './apply.ts';
import { readScopes } from './store.ts';

const HELP_MS = 300;
const RETRY_MS = 20;

export const dirtyOf = (scopes: readonly ScopeState[]) =>
  scopes.filter((scope) => scope.applied < scope.revision);

/**
 * Brings up scopes whose tuples lag behind their rows, or throws `unavailable`: nothing is decided
 * in them. Up to the revisions this request read, or whoever keeps changing a scope would keep it
 * closed for others. A stuck scope waits for a repair, so it is refused without asking OpenFGA.
 */
export const createSettle = ({ database, appliers }: { database: Database; appliers: Appliers }) =>
  async function settle(dirty: readonly ScopeState[]): Promise<void> {
    const wanted = new Map(dirty.map((scope) => [scopeName(scope), scope.revision]));
    for (const until = performance.now() + HELP_MS; ;) {
      const now = await readScopes(database.pool, dirty);
      const behind = now.filter((scope) => scope.applied < wanted.get(scopeName(scope))!);
      if (behind.length === 0) return;
      const left = until - performance.now();
      if (left <= 0 || behind.some(({ is_stuck }) => is_stuck))
        throw unavailable('authority is behind its rows');
      const applied = await Promise.all(behind.map((scope) => appliers.apply(scope, left)));
      // An applier that fails at once would be asked again and again for all of the wait.
      if (applied.includes(false)) await setTimeout(RETRY_MS);
    }
  };
