import type { CredentialKind, OrganizationState, Principal } from '../caller/principal.ts';
import type { ScopeState } from '../caller/scope.ts';

/** A row of an authentication query: a principal without the fields derived from other columns. */
export type PrincipalRow<Of extends Principal> = Omit<
  Of,
  'credential' | 'subject' | 'organization'
> & {
  kind: Of['credential']['kind'];
  id: string;
  /** Null or absent unless the request names an organization that the person belongs to. */
  membership?: Membership | null;
};

/** The organization of a request, and the scopes that decisions in it depend on (C3, A6). */
interface Membership extends OrganizationState {
  scopes: readonly ScopeState[];
}

const scopeJson = (scope: string) => `json_build_object('kind', ${scope}.kind, 'id', ${scope}.id,
  'revision', ${scope}.revision, 'applied', ${scope}.applied, 'nonce', ${scope}.nonce,
  'content', ${scope}.content)`;

/** Columns of a credential in its account; expects `account a` and its scope, `authz_scope s`. */
export const accountColumns = `'account:' || a.id AS context, a.id AS person,
  json_build_object('kind', 'account', 'id', a.id, 'plan', a.plan) AS quota_owner,
  json_build_array(${scopeJson('s')}) AS scopes`;

/**
 * The membership of `account a` in the organization `asked.organization_id`, with its scopes; null
 * without one, or if the organization is deleted.
 */
export const membershipColumn = `(
  SELECT json_build_object('id', g.id, 'status', g.status, 'scopes',
    json_build_array(${scopeJson('own')}, ${scopeJson('whole')}, ${scopeJson('platform')}))
  FROM membership m
  JOIN organization g ON g.id = m.organization_id AND g.deleted_at IS NULL
  JOIN authz_scope own ON own.kind = 'membership' AND own.id = m.id
  JOIN authz_scope whole ON whole.kind = 'organization' AND whole.id = g.id
  JOIN authz_scope platform ON platform.kind = 'platform'
    AND platform.id = '00000000-0000-0000-0000-000000000000'
  WHERE m.account_id = a.id AND m.organization_id = asked.organization_id AND m.left_at IS NULL
) AS membership`;

/** Returns the principal of a credential, with all other columns of its row. */
export function principalOf<
  Kind extends CredentialKind,
  Row extends Pick<PrincipalRow<Principal>, 'person' | 'scopes' | 'membership'>,
>(credential: { kind: Kind; id: string }, { membership, ...row }: Row) {
  const { kind, id } = credential;
  const subject = kind === 'session' ? `user:${row.person}` : `${kind}:${id}`;
  if (!membership) return { ...row, credential, subject, organization: null };
  const organization = { id: membership.id, status: membership.status };
  const scopes = [...row.scopes, ...membership.scopes];
  return { ...row, credential, subject, organization, scopes };
}
