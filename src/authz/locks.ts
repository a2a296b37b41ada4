import { scopeName } from '../caller/scope.ts';
import type { ScopeKind, ScopeRef, ScopeState } from '../caller/scope.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import { lockScope, shareScope } from './store.ts';
import type { LockedScope } from './store.ts';

/** Authority moved between the decision and the commit: decide again, from authentication on. */
export class ConcurrentUpdate extends Error {
  constructor() {
    super('authority moved while it was used');
    this.name = 'ConcurrentUpdate';
  }
}

const LOCK_ORDER: Readonly<Record<ScopeKind, number>> = {
  account: 0,
  membership: 1,
  service: 2,
  organization: 3,
  platform: 4,
};

/** Sorts scopes, each once, into the one order in which anything waits for several of them. */
export function inLockOrder<Scope extends ScopeRef>(scopes: readonly Scope[]): Scope[] {
  const distinct = [...new Map(scopes.map((scope) => [scopeName(scope), scope])).values()];
  return distinct.toSorted(
    (a, b) => LOCK_ORDER[a.kind] - LOCK_ORDER[b.kind] || (a.id < b.id ? -1 : 1),
  );
}

/**
 * Locks written scopes FOR UPDATE and the other scopes of the basis FOR SHARE, together in the one
 * order, and throws `ConcurrentUpdate` unless the basis still stands. Returns the written ones, by
 * name.
 */
export async function lockScopes(
  transaction: Transaction,
  { writes, basis }: { writes: readonly ScopeRef[]; basis: readonly ScopeState[] | null },
): Promise<ReadonlyMap<string, LockedScope>> {
  const written = new Set(writes.map(scopeName));
  const expected = new Map((basis ?? []).map((scope) => [scopeName(scope), scope.nonce]));
  const locked = new Map<string, LockedScope>();
  for (const scope of inLockOrder<ScopeRef>([...writes, ...(basis ?? [])])) {
    const name = scopeName(scope);
    const lock = written.has(name) ? lockScope : shareScope;
    const now = await lock(transaction, scope);
    if (written.has(name)) locked.set(name, now);
    const nonce = expected.get(name);
    if (basis && now.applied < now.revision) throw new ConcurrentUpdate();
    if (nonce !== undefined && nonce !== now.nonce) throw new ConcurrentUpdate();
  }
  return locked;
}
