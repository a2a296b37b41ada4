import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../../caller/scope.ts';
import type { ScopeState } from '../../caller/scope.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { Appliers } from './apply.ts';
import type { Engine } from '../engine/client.ts';
import { readScopes } from './store.ts';

// A request has 10 s and may wait twice: to decide, and again to commit.
const CATCH_UP_MS = 4_000;
/** Longest wait of one applier, so that a slow scope does not keep the others out. */
const APPLY_MS = 500;
const RETRY_MS = 20;
const MAX_WAITING = 1_000;
/** Lower, so that one organization whose scope stays dirty leaves places to the others. */
const MAX_WAITING_PER_SCOPE = 250;
const NOT_APPLIED = 'An earlier permission change has not taken effect yet.';

export interface CatchUpDependencies {
  database: Database;
  appliers: Appliers;
  engine: Pick<Engine, 'isUnreachable'>;
  // Overridden in tests only.
  maxWaiting?: number;
  maxWaitingPerScope?: number;
}

/**
 * Applies the pending changes of dirty scopes, or throws `unavailable`: no decision is made in a
 * dirty scope. Waits only for the revisions that this request read; otherwise a scope that changes
 * constantly would keep refusing other requests. Does not wait while a retry cannot help: for a
 * stuck scope, which needs a repair, for an OpenFGA known to be unreachable, and behind too many
 * other requests, in all or for the same scope.
 */
export function createCatchUp(dependencies: CatchUpDependencies) {
  const { database, appliers, engine } = dependencies;
  const places = createPlaces(dependencies);

  async function waitFor(dirty: readonly ScopeState[]): Promise<void> {
    const required = new Map(dirty.map((scope) => [scopeName(scope), scope.revision]));
    for (const until = performance.now() + CATCH_UP_MS; ;) {
      const now = await readScopes(database.pool, dirty);
      const behind = now.filter((scope) => scope.applied < required.get(scopeName(scope))!);
      if (behind.length === 0) return;
      const remaining = until - performance.now();
      if (remaining <= 0) throw behindDatabase('timed out');
      if (behind.some(({ is_stuck }) => is_stuck)) throw behindDatabase('a scope is stuck');
      const withinMs = Math.min(remaining, APPLY_MS);
      const applied = await Promise.all(behind.map((scope) => appliers.apply(scope, withinMs)));
      if (!applied.includes(false)) continue;
      // Only after this attempt, which may have been the one to find it reachable again.
      if (engine.isUnreachable()) throw behindDatabase('it is unreachable');
      // Without this pause, an applier that fails at once would be called in a tight loop.
      await setTimeout(RETRY_MS);
    }
  }

  return async function catchUp(scopes: readonly ScopeState[]): Promise<void> {
    const dirty = scopes.filter((scope) => scope.applied < scope.revision);
    if (dirty.length === 0) return;
    const names = dirty.map(scopeName);
    if (!places.take(names)) throw behindDatabase('too many requests wait for it');
    try {
      await waitFor(dirty);
    } finally {
      places.release(names);
    }
  };
}

/** Counts the requests that wait, in all and for each scope. */
function createPlaces({
  maxWaiting = MAX_WAITING,
  maxWaitingPerScope = MAX_WAITING_PER_SCOPE,
}: Pick<CatchUpDependencies, 'maxWaiting' | 'maxWaitingPerScope'>) {
  let waiting = 0;
  const waitingByScope = new Map<string, number>();
  const waitingFor = (name: string) => waitingByScope.get(name) ?? 0;

  return {
    /** Returns false, and counts nothing, if too many requests wait. */
    take(names: readonly string[]): boolean {
      if (waiting >= maxWaiting) return false;
      if (names.some((name) => waitingFor(name) >= maxWaitingPerScope)) return false;
      waiting += 1;
      for (const name of names) waitingByScope.set(name, waitingFor(name) + 1);
      return true;
    },
    release(names: readonly string[]): void {
      waiting -= 1;
      for (const name of names)
        if (waitingFor(name) > 1) waitingByScope.set(name, waitingFor(name) - 1);
        else waitingByScope.delete(name);
    },
  };
}

const behindDatabase = (why: string) =>
  unavailable(`OpenFGA is behind the database: ${why}`, undefined, NOT_APPLIED);
