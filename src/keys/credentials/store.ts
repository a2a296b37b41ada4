import type { Database } from '../../platform/postgres/database.ts';
import type { PlanName } from '../../platform/config/plans.ts';

/** A credential as one read of the primary found it, with what every decision depends on. */
export interface CredentialRow {
  id: string;
  account_id: string;
  plan: PlanName;
  tool_policy: unknown;
  resource_policy: unknown;
  prompt_policy: unknown;
  agent_policy: unknown;
  default_agent_id: string | null;
  used_lately: boolean;
  /** Not revoked, not expired, of an active account. */
  usable: boolean;
  audit_arguments: boolean;
  revision: number;
  applied: number;
  nonce: string;
  content: number;
}

// One JSON a row: of sixteen columns the driver describes, names and parses each in every answer.
const credentials = (condition: string) => `
  SELECT row_to_json(credential) AS credential FROM (
    SELECT encode(k.secret_hash, 'hex') AS hash, k.id, k.account_id, k.tool_policy,
      k.resource_policy, k.prompt_policy, k.agent_policy, k.default_agent_id,
      coalesce(k.last_used_at > now() - interval '1 minute', false) AS used_lately,
      k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND a.status = 'active' AS usable,
      a.plan, s.revision, s.applied, s.nonce, s.content,
      coalesce(o.audit_arguments, false) AS audit_arguments
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
): Promise<ReadonlyMap<string, CredentialRow>> {
  const { rows } = await hot.query<{ credential: CredentialRow & { hash: string } }>({
    name: 'key-credentials',
    text: credentialsByHash,
    values: [hashes.map((hash) => `\\x${hash}`)],
  });
  return new Map(rows.map(({ credential }) => [credential.hash, credential]));
}

/** The same for keys whose secret was shown before: those with open streams, once a second. */
export async function readCredentialsById(
  hot: Database['hot'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, CredentialRow>> {
  const { rows } = await hot.query<{ credential: CredentialRow }>({
    name: 'key-credentials-by-id',
    text: credentialsById,
    values: [ids],
  });
  return new Map(rows.map(({ credential }) => [credential.id, credential]));
}

/** What the one word `usable` is made of, for whoever may know. */
export interface CredentialState extends Record<string, unknown> {
  account: string;
  revoked_at: string | null;
  expires_at: string | null;
}

/** Null: there never was such a key. */
export async function readCredentialState(
  hot: Database['hot'],
  id: string,
): Promise<CredentialState | null> {
  const { rows } = await hot.query<CredentialState>({
    name: 'key-credential-state',
    text: `SELECT a.status AS account, k.revoked_at, k.expires_at
      FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}
