import type { Principal } from '../caller/principal.ts';
import type { ScopeKind, ScopeRef, ScopeState } from '../caller/scope.ts';

/** Returns the state of a scope of the principal. */
export function stateOf({ scopes }: Pick<Principal, 'scopes'>, scope: ScopeRef): ScopeState {
  const state = scopes.find(({ kind, id }) => kind === scope.kind && id === scope.id);
  if (state === undefined) throw new TypeError(`The principal lacks the scope ${scope.kind}.`);
  return state;
}

const scopeOfKind = ({ scopes }: Pick<Principal, 'scopes'>, kind: ScopeKind): ScopeState => {
  const state = scopes.find((scope) => scope.kind === kind);
  if (state === undefined) throw new TypeError(`The principal lacks a scope of kind ${kind}.`);
  return state;
};

/** Returns the scope of the principal's organization. */
export const organizationScope = (principal: Pick<Principal, 'scopes'>) =>
  scopeOfKind(principal, 'organization');

/** Returns the scope of the membership of the principal's person. */
export const ownScope = (principal: Pick<Principal, 'scopes'>) =>
  scopeOfKind(principal, 'membership');
