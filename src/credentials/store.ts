import type { ApiKeyPrincipal, OrganizationKeyPrincipal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Credential } from './credential.ts';
import { byKey, rowOf } from './found-row.ts';
import type { FoundRow } from './found-row.ts';
import { createKnownRows } from './known-rows.ts';
import {
  accountAdmits,
  accountColumns,
  membershipOf,
  membershipWithDeletedSeats,
  principalOf,
  restrictionColumns,
  serviceColumns,
} from './principal.ts';
import type { PrincipalRow } from './principal.ts';

/** A secret's hash in hex, and the organization that the request names. */
export interface CredentialQuery {
  hash: string;
  organization_id: string | null;
}

export const queryKey = ({ hash, organization_id }: CredentialQuery): string =>
  organization_id === null ? hash : `${hash} ${organization_id}`;

interface ReadRow {
  /** The organization that the request names. */
  named: string | null;
  /** The organization that the key works in. */
  org_scope: string | null;
  usable: boolean;
  membership_with_deleted_seats: string | null;
  used_recently: boolean;
}

interface PersonalKeyRow extends ReadRow, PrincipalRow<ApiKeyPrincipal> {}
interface OrganizationKeyRow extends ReadRow, PrincipalRow<OrganizationKeyPrincipal> {}
type CredentialRow = PersonalKeyRow | OrganizationKeyRow;

// PostgreSQL would plan a join as a hash join over all teams, for each key.
const boundTeams = `ARRAY(
  SELECT b.team_id FROM api_key_team b
  WHERE b.key_id = k.id AND (SELECT t.deleted_at IS NULL FROM team t WHERE t.id = b.team_id)
  ORDER BY b.team_id)`;

const credentialsQuery = (requested: string, condition: string) => `
  SELECT requested.n, ${rowOf(`'api_key' AS kind, k.id, ${accountColumns},
      requested.organization_id AS named, k.org_scope,
      CASE WHEN coalesce(requested.organization_id, k.org_scope) IS NOT NULL THEN
        ${membershipOf('coalesce(requested.organization_id, k.org_scope)')} END AS membership,
      CASE WHEN k.org_scope IS NOT NULL AND NOT k.follows_teams THEN ${boundTeams} END AS team_ids,
      k.tool_policy, k.resource_policy, k.prompt_policy, k.agent_policy, k.default_agent_id,
      k.tool_listing, ${restrictionColumns},
      k.org_scope IS NULL AND coalesce(o.audit_arguments, false) AS audit_arguments,
      k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND ${accountAdmits} AS usable,
      ${membershipWithDeletedSeats('k.org_scope')},
      coalesce(k.last_used_at > now() - interval '1 minute', false) AS used_recently`)}
  FROM ${requested}
  JOIN api_key k ON ${condition}
  JOIN account a ON a.id = k.account_id
  JOIN authz_scope s ON s.kind = 'account' AND s.id = k.account_id
  LEFT JOIN account_settings o ON o.account_id = k.account_id
  UNION ALL
  SELECT requested.n, ${rowOf(`'org_key' AS kind, k.id, ${serviceColumns},
      requested.organization_id AS named, NULL AS org_scope,
      CASE WHEN NOT k.follows_teams THEN ${boundTeams} END AS team_ids,
      k.tool_policy, k.resource_policy, k.prompt_policy, k.agent_policy, k.default_agent_id,
      k.tool_listing, ${restrictionColumns},
      false AS audit_arguments,
      k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AS usable,
      NULL AS membership_with_deleted_seats,
      coalesce(k.last_used_at > now() - interval '1 minute', false) AS used_recently`)}
  FROM ${requested}
  JOIN api_key k ON ${condition}
  JOIN organization g ON g.id = k.organization_id AND g.deleted_at IS NULL
  JOIN authz_scope s ON s.kind = 'service' AND s.id = k.id
  JOIN authz_scope whole ON whole.kind = 'organization' AND whole.id = g.id`;
const credentialsByHash = credentialsQuery(
  'unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS requested (hash, organization_id, n)',
  `k.secret_hash = decode(requested.hash, 'hex')`,
);
const credentialsById = credentialsQuery(
  'unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS requested (id, organization_id, n)',
  'k.id = requested.id',
);

/** Creates the function that runs the authentication query for a batch of `queryKey`s. */
export function createCredentialsReader(hot: Database['authPool']) {
  const credentialIn = createKnownRows(parse);
  return async function readCredentials(
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, Credential>> {
    const queries = keys.map((key) => key.split(' '));
    const { rows } = await hot.query<FoundRow>({
      name: 'credentials',
      text: credentialsByHash,
      values: [
        queries.map(([hash]) => hash),
        queries.map(([, organization_id]) => organization_id ?? null),
      ],
    });
    return byKey(keys, rows, credentialIn);
  };
}

/**
 * Reads previously authenticated credentials by id; runs once a second for open streams. Remembering
 * their rows too would displace those of requests.
 */
export async function readCredentialsById(
  hot: Database['authPool'],
  ids: readonly string[],
  organization_id: string | null = null,
): Promise<ReadonlyMap<string, Credential>> {
  const { rows } = await hot.query<FoundRow>({
    name: 'credentials-by-id',
    text: credentialsById,
    values: [ids, ids.map(() => organization_id)],
  });
  return byKey(ids, rows, parse);
}

function parse(_key: string, text: string): Credential {
  const row = JSON.parse(text) as CredentialRow;
  return row.kind === 'org_key' ? organizationKeyOf(row) : personalKeyOf(row);
}

/** Returns a person's key, which works in the person's account or in an organization. */
function personalKeyOf({
  named,
  org_scope,
  kind,
  id,
  usable,
  membership_with_deleted_seats,
  used_recently,
  membership,
  ...row
}: PersonalKeyRow): Credential {
  const credential = { kind, id };
  const state = {
    ...{ usable, membership_with_deleted_seats, used_recently },
    has_teams_beyond_client: false,
  };
  const restPrincipal = () =>
    principalOf(credential, { ...row, membership: named === null ? null : (membership ?? null) });
  if (org_scope === null) {
    const own = restPrincipal();
    return { principal: own, restPrincipal: () => own, ...state };
  }
  const principal = principalOf(credential, {
    ...row,
    membership: membership ?? null,
    context: `membership:${org_scope}.${row.person}` as const,
    quota_owner: {
      kind: 'organization' as const,
      id: org_scope,
      // A principal without a membership is refused before anything is counted.
      plan: membership?.plan ?? 'free',
    },
  });
  return { principal, restPrincipal, ...state };
}

/** Returns an organization's key, which works only in that organization. */
function organizationKeyOf({
  named,
  org_scope: _scope,
  kind,
  id,
  usable,
  membership_with_deleted_seats,
  used_recently,
  membership,
  ...row
}: OrganizationKeyRow): Credential {
  const principal = principalOf({ kind, id }, { ...row, membership: membership ?? null });
  const isElsewhere = named !== null && named !== principal.organization?.id;
  const restPrincipal = () => (isElsewhere ? { ...principal, organization: null } : principal);
  return {
    principal,
    restPrincipal,
    usable,
    membership_with_deleted_seats,
    has_teams_beyond_client: false,
    used_recently,
  };
}

/** The state behind `usable`, for callers who may see it. */
export interface CredentialState extends Record<string, unknown> {
  /** Null for a key of an organization. */
  account: string | null;
  revoked_at: string | null;
  expires_at: string | null;
}

/** Returns a credential's state; null if it never existed. */
export async function readCredentialState(
  hot: Database['authPool'],
  id: string,
): Promise<CredentialState | null> {
  const { rows } = await hot.query<CredentialState>({
    name: 'credential-state',
    text: `SELECT a.status AS account, k.revoked_at, k.expires_at
      FROM api_key k LEFT JOIN account a ON a.id = k.account_id WHERE k.id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}
