import type { CredentialKind, OrganizationState, Principal } from '../caller/principal.ts';
import type { ScopeKind, ScopeState } from '../caller/scope.ts';

/** A row of an authentication query: a principal without the fields derived from other columns. */
export type PrincipalRow<Of extends Principal> = Omit<
  Of,
  'credential' | 'subject' | 'organization' | 'scopes'
> & {
  kind: Of['credential']['kind'];
  id: string;
  scopes: readonly ScopeRow[];
  /** Null or absent unless the request names an organization that the person belongs to. */
  membership?: Membership | null;
};

/** The organization of a request, and the scopes that decisions in it depend on (C3, A6). */
interface Membership extends OrganizationState {
  scopes: readonly ScopeRow[];
}

/** A scope as an array: PostgreSQL builds it in half the time that an object takes. */
type ScopeRow = readonly [
  kind: ScopeKind,
  id: string,
  revision: number,
  applied: number,
  nonce: string,
  content: number,
];

const scopeJson = (scope: string) =>
  `json_build_array(${scope}.kind, ${scope}.id, ${scope}.revision, ${scope}.applied, ${scope}.nonce,
    ${scope}.content)`;

const scopeOf = ([kind, id, revision, applied, nonce, content]: ScopeRow): ScopeState => {
  return { kind, id, revision, applied, nonce, content };
};

/** Columns of a credential in its account; expects `account a` and its scope, `authz_scope s`. */
export const accountColumns = `'account:' || a.id AS context, a.id AS person,
  json_build_object('kind', 'account', 'id', a.id, 'plan', a.plan) AS quota_owner,
  json_build_array(${scopeJson('s')}) AS scopes`;

/**
 * Whether the person's account lets a credential work; expects `account a` and the credential `k`.
 * `findLiveConnection` has the same rule; `listEndedKeys` and `listUnusable` find what it excludes.
 */
export const accountAdmits = `a.status = 'active' AND NOT a.credentials_ended @> k.created_at`;

// Depends on no row, so that it is read once for all credentials of a query.
const platformScope = `(SELECT ${scopeJson('platform')} FROM authz_scope platform
  WHERE platform.kind = 'platform' AND platform.id = '00000000-0000-0000-0000-000000000000')`;

/**
 * Selects the membership of `account a` in an organization, with the scopes; null if there is none
 * or the organization is deleted. The argument is an SQL expression for the organization's id.
 */
export const membershipOf = (organization_id: string) => `(
  SELECT json_build_object('id', g.id, 'status', g.status, 'plan', g.plan, 'scopes',
    json_build_array(${scopeJson('own')}, ${scopeJson('whole')}, ${platformScope}))
  FROM membership m
  JOIN organization g ON g.id = m.organization_id AND g.deleted_at IS NULL
  JOIN authz_scope own ON own.kind = 'membership' AND own.id = m.id
  JOIN authz_scope whole ON whole.kind = 'organization' AND whole.id = g.id
  WHERE m.account_id = a.id AND m.organization_id = ${organization_id} AND m.left_at IS NULL
)`;

/**
 * Selects the membership of a person's credential `k` that still has seats in deleted teams; null
 * if there is none. An organization rarely has deleted teams, so only then are seats looked up.
 */
export const membershipWithDeletedSeats = (organization_id: string) => `CASE WHEN EXISTS (
    SELECT FROM team WHERE organization_id = ${organization_id} AND deleted_at IS NOT NULL) THEN (
  SELECT p.membership_id FROM membership m
  JOIN team_member p ON p.membership_id = m.id
  JOIN team t ON t.id = p.team_id AND t.deleted_at IS NOT NULL
  WHERE m.account_id = k.account_id AND m.organization_id = ${organization_id}
  LIMIT 1) END AS membership_with_deleted_seats`;

/**
 * Columns of an organization's credential; expects `api_key k`, its scope `authz_scope s`, its
 * organization `g`, and the organization's scope `whole`, on which lists depend.
 */
export const serviceColumns = `'service:' || g.id || '.' || k.id AS context, NULL AS person,
  json_build_object('kind', 'organization', 'id', g.id, 'plan', g.plan) AS quota_owner,
  json_build_array(${scopeJson('s')}) AS scopes,
  json_build_object('id', g.id, 'status', g.status, 'plan', g.plan, 'scopes',
    json_build_array(${scopeJson('whole')})) AS membership`;

/** From where and when a credential `k` works; null is everywhere and always. */
export const restrictionColumns = `CASE
  WHEN k.allowed_addresses IS NOT NULL OR k.hours IS NOT NULL THEN json_build_object(
    'allowed_addresses', k.allowed_addresses, 'hours', k.hours) END AS restrictions`;

/** Returns the principal of a credential, with all other columns of its row. */
export function principalOf<
  Kind extends CredentialKind,
  Row extends Pick<PrincipalRow<Principal>, 'person' | 'scopes' | 'membership'>,
>(credential: { kind: Kind; id: string }, { membership, ...row }: Row) {
  const { kind, id } = credential;
  const subject = kind === 'session' ? `user:${row.person}` : `${kind}:${id}`;
  const scopes = [...row.scopes, ...(membership?.scopes ?? [])].map(scopeOf);
  if (!membership) return { ...row, credential, subject, organization: null, scopes };
  const { scopes: _scopes, ...organization } = membership;
  return { ...row, credential, subject, organization, scopes };
}
