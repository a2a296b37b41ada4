import type { ApiKeyPrincipal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import { accountColumns, principalOf } from './principal.ts';
import type { PrincipalRow } from './principal.ts';

/** A credential as read from the primary. */
export interface Credential {
  principal: ApiKeyPrincipal;
  /** Not revoked, not expired, and of an active account. */
  usable: boolean;
  /** Its last recorded use is less than a minute old. */
  used_lately: boolean;
}

type CredentialRow = PrincipalRow<ApiKeyPrincipal> &
  Omit<Credential, 'principal'> & { hash: string };

// One JSON value per row: with sixteen columns, the driver would describe, name and parse each of
// them in every response.
const credentials = (condition: string) => `
  SELECT row_to_json(credential) AS credential FROM (
    SELECT encode(k.secret_hash, 'hex') AS hash, 'api_key' AS kind, k.id, ${accountColumns},
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

/** Runs the authentication query: one prepared statement for a batch of hashes, in hex. */
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

/** Reads credentials that were authenticated earlier by id; once a second for open streams. */
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

function credentialOf(credential: CredentialRow): Credential {
  const { hash: _hash, kind, id, usable, used_lately, ...row } = credential;
  return { principal: principalOf({ kind, id }, row), usable, used_lately };
}

/** The state behind `usable`, for callers who may see it. */
export interface CredentialState extends Record<string, unknown> {
  account: string;
  revoked_at: string | null;
  expires_at: string | null;
}

/** Returns a credential's state; null if it never existed. */
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
