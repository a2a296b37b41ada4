import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import type { Family } from '../content/items/schema.ts';
import type { Space } from '../content/spaces/spaces.ts';
import { sql, violatedConstraint } from '../platform/postgres/database.ts';
import type { Connection, Transaction } from '../platform/postgres/database.ts';
import { isUuid } from '../platform/ids.ts';
import { inPages } from '../platform/http/pages.ts';
import { ownItemLists } from '../policies/policy.ts';
import { Grant, Policies } from './schema.ts';
import type { KeyDraft, KeyEdit } from './schema.ts';

const KeyRow = z.object({
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  secret_prefix: z.string(),
  grants: z.array(Grant),
  mcp_capabilities: z.array(z.enum(capabilities)),
  ...Policies.shape,
  default_agent_id: z.string().nullable(),
  expires_at: z.string().nullable(),
  expired: z.boolean(),
  last_used_at: z.string().nullable(),
  created_at: z.string(),
});
export type KeyRow = z.infer<typeof KeyRow>;

const columns = sql.fragment`id, account_id, name, secret_prefix, grants, mcp_capabilities,
  tool_policy, resource_policy, prompt_policy, agent_policy, default_agent_id, expires_at,
  coalesce(expires_at <= now(), false) AS expired, last_used_at, created_at`;

/** Stored parts of a secret. */
export interface SecretTrace {
  hash: Buffer;
  prefix: string;
}

/** Inserts a key; returns null if an active key of the account has its name. */
export async function insertKey(
  transaction: Transaction,
  key: { id: string; account_id: string; draft: KeyDraft; secret: SecretTrace },
): Promise<KeyRow | null> {
  const { draft, secret } = key;
  return unlessNameTaken(
    transaction.one(sql.type(KeyRow)`
      INSERT INTO api_key (id, account_id, name, secret_hash, secret_prefix, grants,
        mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy,
        default_agent_id, expires_at)
      VALUES (${key.id}, ${key.account_id}, ${draft.name}, ${sql.binary(secret.hash)},
        ${secret.prefix}, ${json(draft.grants)}, ${sql.array(draft.mcp_capabilities, 'text')},
        ${json(draft.tool_policy)}, ${json(draft.resource_policy)}, ${json(draft.prompt_policy)},
        ${json(draft.agent_policy)}, ${draft.default_agent_id}, ${instant(draft.expires_at)})
      RETURNING ${columns}`),
  );
}

/**
 * Updates the given fields. Returns `name_taken` if an active key has the name, null if no key
 * matches.
 */
export async function updateKey(
  transaction: Transaction,
  key: { id: string; account_id: string },
  edit: KeyEdit,
): Promise<KeyRow | 'name_taken' | null> {
  const changes = [
    edit.name !== undefined && sql.fragment`name = ${edit.name}`,
    edit.grants && sql.fragment`grants = ${json(edit.grants)}`,
    edit.mcp_capabilities &&
      sql.fragment`mcp_capabilities = ${sql.array(edit.mcp_capabilities, 'text')}`,
    edit.tool_policy && sql.fragment`tool_policy = ${json(edit.tool_policy)}`,
    edit.resource_policy && sql.fragment`resource_policy = ${json(edit.resource_policy)}`,
    edit.prompt_policy && sql.fragment`prompt_policy = ${json(edit.prompt_policy)}`,
    edit.agent_policy && sql.fragment`agent_policy = ${json(edit.agent_policy)}`,
    edit.default_agent_id !== undefined &&
      sql.fragment`default_agent_id = ${edit.default_agent_id}::uuid`,
    edit.expires_at !== undefined && sql.fragment`expires_at = ${instant(edit.expires_at)}`,
  ].filter((change) => typeof change === 'object');
  if (changes.length === 0) return findKey(transaction, key);
  const row = unlessNameTaken(
    transaction.maybeOne(sql.type(KeyRow)`
      UPDATE api_key SET ${sql.join(changes, sql.fragment`, `)}
      WHERE id = ${key.id} AND account_id = ${key.account_id} AND revoked_at IS NULL
      RETURNING ${columns}`),
    'name_taken' as const,
  );
  return row;
}

/**
 * Removes an item from every policy that lists it; a whitelist emptied this way allows nothing
 * (PO15). Only keys in a personal space have item policies (K1).
 */
export async function dropFromPolicies(
  transaction: Transaction,
  { space, family, id }: { space: Space; family: Family; id: string },
): Promise<void> {
  if (family === 'resource' || space.kind !== 'personal') return;
  const [policy, list] = ownItemLists[family];
  const column = sql.identifier([policy]);
  await transaction.query(sql.typeAlias('void')`
    UPDATE api_key SET ${column} = jsonb_set(${column}, ARRAY[${list}::text],
      (${column}->${list}::text) - ${id}::text)
    WHERE account_id = ${space.account_id} AND ${column}->${list}::text ? ${id}::text`);
}

/** Revokes a key; returns false if there was no such active key. */
export async function revokeKey(
  transaction: Transaction,
  key: { id: string; account_id: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE api_key SET revoked_at = now()
    WHERE id = ${key.id} AND account_id = ${key.account_id} AND revoked_at IS NULL`);
  if (rowCount === 1) await deleteOldestRevoked(transaction, key.account_id);
  return rowCount === 1;
}

const MAX_REVOKED = 100;

/**
 * Deletes all but the latest revoked keys: nothing limits how often keys are created and revoked,
 * and the policies of one key can take hundreds of kilobytes.
 */
async function deleteOldestRevoked(transaction: Transaction, account_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM api_key WHERE id IN (
      SELECT id FROM api_key WHERE account_id = ${account_id} AND revoked_at IS NOT NULL
      ORDER BY revoked_at DESC, id DESC OFFSET ${MAX_REVOKED})`);
}

/** Returns a key of this account; null if there is none or it is revoked. */
export function findKey(
  connection: Connection,
  key: { id: string; account_id: string },
): Promise<KeyRow | null> {
  return connection.maybeOne(sql.type(KeyRow)`
    SELECT ${columns} FROM api_key
    WHERE id = ${key.id} AND account_id = ${key.account_id} AND revoked_at IS NULL`);
}

const AuthorityRow = KeyRow.pick({
  id: true,
  account_id: true,
  grants: true,
  mcp_capabilities: true,
});

/** Lists grants and capabilities of an account's live keys, or of one, for projection to tuples. */
export function listAuthority(
  connection: Connection,
  { account_id, id }: { account_id: string; id: string | null },
) {
  return connection.any(sql.type(AuthorityRow)`
    SELECT id, account_id, grants, mcp_capabilities FROM api_key
    WHERE account_id = ${account_id} AND revoked_at IS NULL
      AND (${id}::uuid IS NULL OR id = ${id}::uuid)`);
}

/**
 * Returns up to ten ids: of the key with this id and of live keys with this name, in any account.
 */
export function findKeyIds(connection: Connection, nameOrId: string) {
  return connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM api_key
    WHERE id = ${isUuid(nameOrId) ? nameOrId : null}::uuid
      OR (name = ${nameOrId.normalize('NFC')} AND revoked_at IS NULL)
    ORDER BY id LIMIT 10`);
}

export function countKeys(connection: Connection, account_id: string): Promise<number> {
  return connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM api_key WHERE account_id = ${account_id} AND revoked_at IS NULL`);
}

/** Returns live keys older than `cursor`, newest first. */
export function listKeys(
  connection: Connection,
  account_id: string,
  page: { limit: number; cursor: string | null },
): Promise<readonly KeyRow[]> {
  return connection.any(sql.type(KeyRow)`
    SELECT ${columns} FROM api_key
    WHERE account_id = ${account_id} AND revoked_at IS NULL
      AND (${page.cursor}::uuid IS NULL OR id < ${page.cursor}::uuid)
    ORDER BY id DESC LIMIT ${page.limit}`);
}

const ExportedRow = KeyRow.omit({ account_id: true, expired: true }).extend({
  revoked_at: z.string().nullable(),
});

// Page size; the policies of one key can take hundreds of kilobytes.
const EXPORT_PAGE_SIZE = 10;

/** Yields all keys, revoked ones too, newest first. */
export const exportKeys = (connection: Connection, account_id: string, most: number) =>
  inPages<z.infer<typeof ExportedRow>>(
    ({ limit, after }) =>
      connection.any(sql.type(ExportedRow)`
        SELECT ${columns}, revoked_at FROM api_key
        WHERE account_id = ${account_id}
          AND (${after?.id ?? null}::uuid IS NULL OR id < ${after?.id ?? null}::uuid)
        ORDER BY id DESC LIMIT ${limit}`),
    { rows: EXPORT_PAGE_SIZE, max: most },
  );

export async function isNameTaken(
  connection: Connection,
  wanted: { account_id: string; name: string; except: string | null },
): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM api_key
    WHERE account_id = ${wanted.account_id} AND name = ${wanted.name} AND revoked_at IS NULL
      AND id IS DISTINCT FROM ${wanted.except}::uuid`);
}

/** Returns whether a timestamp is past by the database's clock, which also decides expiry. */
export function isPast(connection: Connection, text: string): Promise<boolean> {
  return connection.oneFirst(sql.type(z.object({ past: z.boolean() }))`
    SELECT ${instant(text)} <= now() AS past`);
}

/** Sets `last_used_at`, at most once a minute; skips locked rows, which the next use updates. */
export async function touchKeys(connection: Connection, ids: readonly string[]): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    UPDATE api_key SET last_used_at = now() WHERE id IN (
      SELECT id FROM api_key
      WHERE id = ANY(${sql.array([...ids], 'uuid')})
        AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')
      FOR UPDATE SKIP LOCKED)`);
}

async function unlessNameTaken<Row, Named = null>(
  statement: Promise<Row>,
  named: Named = null as Named,
): Promise<Row | Named> {
  try {
    return await statement;
  } catch (error) {
    if (violatedConstraint(error) === 'api_key_active_name_unique') return named;
    throw error;
  }
}

const instant = (text: string | null) =>
  text === null ? sql.fragment`NULL::timestamptz` : sql.timestamp(new Date(text));

const json = (value: object) => sql.jsonb(value);
