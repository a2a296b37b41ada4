import { scopeName } from '../../caller/scope.ts';
import type { ScopeKind, ScopeRef, ScopeState } from '../../caller/scope.ts';
import { createBatchedRead } from '../../platform/concurrency/grouped.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { ConcurrentUpdate } from './concurrent-update.ts';
import { readScopes } from './store.ts';

/**
 * Creates the check that a scope is still in the state that the request read. Rows that were read
 * before it are then of that state too, since no state ever returns.
 */
export function createRequireCurrent({ pool }: Pick<Database, 'pool'>) {
  const current = createBatchedRead({
    async read(names) {
      const states = await readScopes(pool, names.map(scopeNamed));
      return new Map(states.map((state) => [scopeName(state), state]));
    },
  });

  return async function requireCurrent(scope: ScopeState): Promise<void> {
    const now = await current(scopeName(scope));
    if (now?.nonce !== scope.nonce || now.content !== scope.content) throw new ConcurrentUpdate();
  };
}

function scopeNamed(name: string): ScopeRef {
  const [kind, id] = name.split(':') as [ScopeKind, string];
  return { kind, id };
}
