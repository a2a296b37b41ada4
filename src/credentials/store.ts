import type { ApiKeyPrincipal } from '../caller/principal.ts';
import type { ScopeState } from '../caller/scope.ts';
import type { PlanName } from '../platform/config/plans.ts';
import type { Database } from '../platform/postgres/database.ts';

/** A credential as one read of the primary found it. */
export interface Credential {
  principal: ApiKeyPrincipal;
  /** Not revoked, not expired, of an active account. */
  usable: boolean;
  /** Its last use is written and less than a minute old. */
  used_lately: boolean;
}

/** A row of the authentication query: a principal, but for what follows from its other columns. */
interface CredentialRow extends Omit<ApiKeyPrincipal, 'credential' | 'subject' | 'quota_owner'> {
  hash: string;
  kind: ApiKeyPrincipal['credential']['kind'];
  id: string;
  plan: PlanName;
  scopes: ScopeState[];
  usable: boolean;
  used_lately: boolean;
}

// One JSON a row: of sixteen columns the driver describes, names and parses each in every answer.
const credentials = (condition: string) => `
  SELECT row_to_json(credential) AS credential FROM (
    SELECT encode(k.secret_hash, 'hex') AS hash, 'api_key' AS kind, k.id,
      'account:' || k.account_id AS context, k.account_id AS person, a.plan,
      json_build_array(json_build_object('kind', s.kind, 'id', s.id, 'revision', s.revision,
        'applied', s.applied, 'nonce', s.nonce, 'content', s.content)) AS scopes,
      k.tool_policy, k.resource_policy, k.prompt_policy, k.agent_policy, k.default_agent_id,
      coalesce(o.audit_arguments, false) AS audit_arguments,
      k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND a.status = 'active' AS usable,
      coalesce(k.last_used_at > now() - interval '1 minute', false) AS used_lately
    FROM api_key k
    JOIN account a ON a.id = k.account_id
    JOIN authz_scope s ON s.kind = 'account' AND s.id = k.account_id
    LEFT JOIN account_settings o ON o.account_id = k.account_id
    WHERE ${condition}
  ) credential`;
const credentialsByHash = credentials('k.secret_hash = ANY($1::bytea[])');
const credentialsById = credentials('k.id = ANY($1::uuid[])');

/** The authentication query: one prepared statement for up to a batch of hashes, in hex. */
export async function readCredentials(
  hot: Database['hot'],
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Credential>> {
  const { rows } = await hot.query<{ credential: CredentialRow }>({
    name: 'credentials',
    text: credentialsByHash,
    values: [hashes.map((hash) => `\\x${hash}`)],
  });
  return new Map(rows.map(({ credential }) => [credential.hash, credentialOf(credential)]));
}

/** The same for credentials whose secret was shown before: those with open streams, once a second. */
export async function readCredentialsById(
  hot: Database['hot'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, Credential>> {
  const { rows } = await hot.query<{ credential: CredentialRow }>({
    name: 'credentials-by-id',
    text: credentialsById,
    values: [ids],
  });
  return new Map(rows.map(({ credential }) => [credential.id, credentialOf(credential)]));
}

function credentialOf(row: CredentialRow): Credential {
  const { hash: _shown, kind, id, plan, usable, used_lately, ...principal } = row;
  return {
    principal: {
      ...principal,
      credential: { kind, id },
      subject: `${kind}:${id}`,
      quota_owner: { kind: 'account', id: row.person, plan },
    },
    usable,
    used_lately,
  };
}

/** What the one word `usable` is made of, for whoever may know. */
export interface CredentialState extends Record<string, unknown> {
  account: string;
  revoked_at: string | null;
  expires_at: string | null;
}

/** Null: there never was such a credential. */
export async function readCredentialState(
  hot: Database['hot'],
  id: string,
): Promise<CredentialState | null> {
  const { rows } = await hot.query<CredentialState>({
    name: 'credential-state',
    text: `SELECT a.status AS account, k.revoked_at, k.expires_at
      FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}
