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
 * Selects the membership of `account a` in an organization, with the scopes; null if there is none
 * or the organization is deleted. The argument is an SQL expression for the organization's id.
 */
export const membershipOf = (organization_id: string) => `(
  SELECT json_build_object('id', g.id, 'status', g.status, 'plan', g.plan, 'scopes',
    json_build_array(${scopeJson('own')}, ${scopeJson('whole')}, ${scopeJson('platform')}))
  FROM membership m
  JOIN organization g ON g.id = m.organization_id AND g.deleted_at IS NULL
  JOIN authz_scope own ON own.kind = 'membership' AND own.id = m.id
  JOIN authz_scope whole ON whole.kind = 'organization' AND whole.id = g.id
  JOIN authz_scope platform ON platform.kind = 'platform'
    AND platform.id = '00000000-0000-0000-0000-000000000000'
  WHERE m.account_id = a.id AND m.organization_id = ${organization_id} AND m.left_at IS NULL
)`;

/**
 * Columns of an organization's credential; expects `api_key k`, its scope `authz_scope s`, its
 * organization `g`, and the organization's scope `whole`, on which lists depend.
 */
export const serviceColumns = `'service:' || g.id || '.' || k.id AS context, NULL AS person,
  json_build_object('kind', 'organization', 'id', g.id, 'plan', g.plan) AS quota_owner,
  json_build_array(${scopeJson('s')}) AS scopes,
  json_build_object('id', g.id, 'status', g.status, 'plan', g.plan, 'scopes',
    json_build_array(${scopeJson('whole')})) AS membership`;

/** Returns the principal of a credential, with all other columns of its row. */
export function principalOf<
  Kind extends CredentialKind,
  Row extends Pick<PrincipalRow<Principal>, 'person' | 'scopes' | 'membership'>,
>(credential: { kind: Kind; id: string }, { membership, ...row }: Row) {
  const { kind, id } = credential;
  const subject = kind === 'session' ? `user:${row.person}` : `${kind}:${id}`;
  if (!membership) return { ...row, credential, subject, organization: null };
  const { scopes: others, ...organization } = membership;
  return { ...row, credential, subject, organization, scopes: [...row.scopes, ...others] };
}
