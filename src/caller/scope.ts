export type ScopeKind = 'platform' | 'account' | 'organization' | 'membership' | 'service';
export interface ScopeRef {
  kind: ScopeKind;
  id: string;
}

/** A scope to be created; a scope within an organization has the organization's id. */
export type NewScope =
  | (ScopeRef & { kind: 'platform' | 'account' | 'organization' })
  | (ScopeRef & { kind: 'membership' | 'service'; organization_id: string });

/** Returns the id of the organization of a new scope; null outside organizations. */
export function organizationOf(scope: NewScope): string | null {
  if (scope.kind === 'organization') return scope.id;
  return 'organization_id' in scope ? scope.organization_id : null;
}

/** A scope as read by the authentication query; dirty while `applied` is behind `revision`. */
export interface ScopeState extends ScopeRef {
  revision: number;
  applied: number;
  /** Changes with each increment of `revision`: after a restore revisions repeat, nonces do not. */
  nonce: string;
  /** Counter of content edits, which change what is listed and read but no authority. */
  content: number;
}

/** Returns a scope's name in events, locks and logs: `account:0190…`. */
export const scopeName = <Kind extends ScopeKind>({
  kind,
  id,
}: ScopeRef & { kind: Kind }): `${Kind}:${string}` => `${kind}:${id}`;

/** A scope that is a context: the place where a person or an organization's credential acts. */
export interface ContextRef extends ScopeRef {
  kind: 'account' | 'membership' | 'service';
}

/**
 * OpenFGA object on which a context's checks are evaluated: `account:<account>`,
 * `membership:<organization>.<account>`, `service:<organization>.<credential>`.
 */
export type ContextObject = `${ContextRef['kind']}:${string}`;
