import { scopeName } from '../../caller/scope.ts';
import type { NewScope, ScopeKind, ScopeRef, ScopeState } from '../../caller/scope.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { ConcurrentUpdate } from './concurrent-update.ts';
import { createScope, lockScopeRow } from './store.ts';
import type { LockedScope, LockPurpose } from './store.ts';

/** Thrown for dirty scopes: once their changes are applied, the change can be retried. */
export class DirtyScopes extends ConcurrentUpdate {
  readonly scopes: readonly ScopeState[];
  constructor(scopes: readonly ScopeState[]) {
    super();
    this.scopes = scopes;
  }
}

/** Scopes that a change locks. */
export interface LockRequest {
  writes: readonly ScopeRef[];
  creates?: readonly NewScope[];
  basis: readonly ScopeState[] | null;
}

const LOCK_ORDER: Readonly<Record<ScopeKind, number>> = {
  account: 0,
  membership: 1,
  service: 2,
  organization: 3,
  platform: 4,
};

/** Returns the distinct scopes in the order in which all code locks them. */
export function inLockOrder<Scope extends ScopeRef>(scopes: readonly Scope[]): Scope[] {
  const distinct = [...new Map(scopes.map((scope) => [scopeName(scope), scope])).values()];
  return distinct.toSorted(
    (a, b) => LOCK_ORDER[a.kind] - LOCK_ORDER[b.kind] || (a.id < b.id ? -1 : 1),
  );
}

/**
 * Locks written scopes FOR UPDATE and the other scopes of the basis FOR SHARE, in lock order. With
 * a basis, throws `ConcurrentUpdate` if one of its nonces changed, and `DirtyScopes` if any of the
 * locked scopes is dirty. Returns the written scopes, by name.
 */
export async function lockScopes(
  transaction: Transaction,
  purpose: Exclude<LockPurpose, 'read'>,
  { writes, creates = [], basis }: LockRequest,
): Promise<ReadonlyMap<string, LockedScope>> {
  const written = new Set(writes.map(scopeName));
  const created = new Map(creates.map((scope) => [scopeName(scope), scope]));
  const expected = new Map((basis ?? []).map((scope) => [scopeName(scope), scope.nonce]));
  const locked = new Map<string, LockedScope>();
  const dirty: LockedScope[] = [];
  for (const scope of inLockOrder<ScopeRef>([...writes, ...(basis ?? [])])) {
    const name = scopeName(scope);
    const isNew = created.get(name);
    if (isNew) await createScope(transaction, isNew);
    const current = await lockScopeRow(transaction, scope, written.has(name) ? purpose : 'read');
    if (expected.has(name) && expected.get(name) !== current?.nonce) throw new ConcurrentUpdate();
    if (current === null) throw new TypeError(`${name} must exist to be written.`);
    if (basis !== null && current.applied < current.revision) dirty.push(current);
    if (written.has(name)) locked.set(name, current);
  }
  if (dirty.length > 0) throw new DirtyScopes(dirty);
  return locked;
}
