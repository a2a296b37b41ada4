import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import { knownAddress } from '../caller/membership.ts';
import { StoredRestrictions } from '../caller/restrictions/schema.ts';
import { ToolListing } from '../caller/schema.ts';
import type { Family } from '../content/items/schema.ts';
import type { Space } from '../content/content.ts';
import {
  addressesValue,
  hoursValue,
  lockForCredential,
  restrictionChanges,
} from '../credentials/credentials.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../platform/postgres/violation.ts';
import { isUuid } from '../platform/ids.ts';
import { ownItemLists } from '../policies/policy.ts';
import { Grant, Policies } from './schema.ts';
import type { KeyDraft, KeyEdit } from './schema.ts';

/** The owner of a key: a person, identified by their account, or an organization. */
export interface KeyOwner {
  kind: 'account' | 'organization';
  id: string;
}

/** Identifies a key and its owner. */
export interface KeyId {
  id: string;
  owner: KeyOwner;
}

export const KeyRow = z.object({
  id: z.string(),
  /** The person whose key it is; null for an organization's key. */
  account_id: z.string().nullable(),
  name: z.string(),
  secret_prefix: z.string(),
  grants: z.array(Grant),
  mcp_capabilities: z.array(z.enum(capabilities)),
  /** The organization that a person's key runs in; null if it runs in the person's account. */
  org_scope: z.string().nullable(),
  /** The organization that the key belongs to; null for a person's key. */
  organization_id: z.string().nullable(),
  /** `org_scope` or `organization_id`. */
  runs_in: z.string().nullable(),
  created_by: z.object({ account_id: z.string(), email: z.string().nullable() }).nullable(),
  follows_teams: z.boolean(),
  /** The teams that the key is bound to; null if it follows teams or runs in no organization. */
  team_ids: z.array(z.string()).nullable(),
  ...Policies.shape,
  default_agent_id: z.string().nullable(),
  tool_listing: ToolListing,
  expires_at: z.string().nullable(),
  ...StoredRestrictions.shape,
  expired: z.boolean(),
  last_used_at: z.string().nullable(),
  created_at: z.string(),
});
export type KeyRow = z.infer<typeof KeyRow>;

// Sorted by id, so that edits can be compared with it.
const boundTeams = sql.fragment`ARRAY(
  SELECT b.team_id FROM api_key_team b JOIN team t ON t.id = b.team_id AND t.deleted_at IS NULL
  WHERE b.key_id = api_key.id ORDER BY b.team_id)`;

export const keyColumns = sql.fragment`id, account_id, name, secret_prefix, grants, mcp_capabilities,
  org_scope, organization_id, runs_in, follows_teams,
  (SELECT json_build_object('account_id', a.id, 'email', ${knownAddress})
    FROM account a LEFT JOIN membership m
      ON m.account_id = a.id AND m.organization_id = api_key.organization_id
    WHERE a.id = api_key.created_by) AS created_by,
  CASE WHEN runs_in IS NOT NULL AND NOT follows_teams THEN ${boundTeams} END AS team_ids,
  tool_policy, resource_policy, prompt_policy, agent_policy, default_agent_id, tool_listing,
  expires_at, allowed_addresses, hours, coalesce(expires_at <= now(), false) AS expired,
  last_used_at, created_at`;

/** Stored parts of a secret. */
export interface StoredSecret {
  hash: Buffer;
  prefix: string;
}

/** Matches the keys of an owner. */
export const ownedBy = ({ kind, id }: KeyOwner) =>
  kind === 'account' ? sql.fragment`account_id = ${id}` : sql.fragment`organization_id = ${id}`;

/** Inserts a key; returns null if an active key of the owner has its name. */
export async function insertKey(
  transaction: Transaction,
  key: KeyId & { draft: KeyDraft; secret: StoredSecret; created_by: string | null },
): Promise<KeyRow | null> {
  const { owner, draft, secret } = key;
  const isPersonal = owner.kind === 'account';
  const runsIn = isPersonal ? draft.org_scope : owner.id;
  if (isPersonal) await lockForCredential(transaction, owner.id);
  return withFallbackOnViolation(
    transaction.one(sql.type(KeyRow)`
      INSERT INTO api_key (id, account_id, organization_id, created_by, name, secret_hash, secret_prefix,
        grants, mcp_capabilities, org_scope, follows_teams, tool_policy, resource_policy, prompt_policy,
        agent_policy, default_agent_id, tool_listing, expires_at, expiry_notice, allowed_addresses,
        hours, created_at)
      VALUES (${key.id}, ${isPersonal ? owner.id : null}, ${isPersonal ? null : owner.id},
        ${isPersonal ? null : key.created_by}, ${draft.name}, ${sql.binary(secret.hash)},
        ${secret.prefix}, ${json(draft.grants)}, ${sql.array(draft.mcp_capabilities, 'text')},
        ${isPersonal ? draft.org_scope : null}, ${runsIn !== null && draft.team_ids === null},
        ${json(draft.tool_policy)}, ${json(draft.resource_policy)}, ${json(draft.prompt_policy)},
        ${json(draft.agent_policy)}, ${draft.default_agent_id}, ${draft.tool_listing},
        ${timestampOf(draft.expires_at)}, ${noticeBefore(timestampOf(draft.expires_at))},
        ${addressesValue(draft.allowed_addresses)}, ${hoursValue(draft.hours)}, clock_timestamp())
      RETURNING ${keyColumns}`),
    NAME_INDEXES,
    null,
  );
}

/**
 * Updates the given fields. Returns `name_taken` if an active key has the name, null if no key
 * matches.
 */
export async function updateKey(
  transaction: Transaction,
  key: KeyId,
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
    edit.team_ids !== undefined && sql.fragment`follows_teams = ${edit.team_ids === null}`,
    edit.default_agent_id !== undefined &&
      sql.fragment`default_agent_id = ${edit.default_agent_id}::uuid`,
    edit.tool_listing && sql.fragment`tool_listing = ${edit.tool_listing}`,
    edit.expires_at !== undefined &&
      sql.fragment`expires_at = ${timestampOf(edit.expires_at)},
        expiry_notice = ${noticeBefore(timestampOf(edit.expires_at))}`,
    ...restrictionChanges(edit),
  ].filter((change) => typeof change === 'object');
  if (changes.length === 0) return findKey(transaction, key);
  return withFallbackOnViolation(
    transaction.maybeOne(sql.type(KeyRow)`
      UPDATE api_key SET ${sql.join(changes, sql.fragment`, `)}
      WHERE id = ${key.id} AND ${ownedBy(key.owner)} AND revoked_at IS NULL
      RETURNING ${keyColumns}`),
    NAME_INDEXES,
    'name_taken' as const,
  );
}

/**
 * Removes an item from every policy that lists it (PO15). A whitelist that becomes empty allows
 * nothing. Only keys in a personal space have item policies (K1).
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

const EndedRow = z.object({ id: z.string(), account_id: z.string() });

/** Returns up to `limit` live keys that their account no longer admits. */
export function listEndedKeys(db: Queryable, limit: number) {
  return db.any(sql.type(EndedRow)`
    SELECT k.id, k.account_id FROM ended_credentials e
    JOIN account a ON a.id = e.account_id JOIN api_key k ON k.account_id = a.id
    WHERE a.credentials_ended @> k.created_at AND k.revoked_at IS NULL
    ORDER BY k.id LIMIT ${limit}`);
}

/** Revokes a key; returns false if there is no such active key. */
export async function revokeKey(transaction: Transaction, key: KeyId): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE api_key SET revoked_at = now()
    WHERE id = ${key.id} AND ${ownedBy(key.owner)} AND revoked_at IS NULL`);
  if (rowCount === 1) await deleteOldestRevoked(transaction, key.owner);
  return rowCount === 1;
}

const MAX_REVOKED = 100;

/**
 * Deletes all but the latest revoked keys: nothing limits how often keys are created and revoked,
 * and the policies of one key can take hundreds of kilobytes.
 */
async function deleteOldestRevoked(transaction: Transaction, owner: KeyOwner): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM api_key WHERE id IN (
      SELECT id FROM api_key WHERE ${ownedBy(owner)} AND revoked_at IS NOT NULL
      ORDER BY revoked_at DESC, id DESC OFFSET ${MAX_REVOKED})`);
}

/** Returns a key of this owner; null if there is none or it is revoked. */
export function findKey(db: Queryable, key: KeyId): Promise<KeyRow | null> {
  return db.maybeOne(sql.type(KeyRow)`
    SELECT ${keyColumns} FROM api_key
    WHERE id = ${key.id} AND ${ownedBy(key.owner)} AND revoked_at IS NULL`);
}

/**
 * Returns up to ten ids: of the key with this id, and of live keys with this name, of any owner.
 */
export function findKeyIds(db: Queryable, nameOrId: string) {
  return db.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM api_key
    WHERE id = ${isUuid(nameOrId) ? nameOrId : null}::uuid
      OR (name = ${nameOrId.normalize('NFC')} AND revoked_at IS NULL)
    ORDER BY id LIMIT 10`);
}

/** Deletes the keys of a deleted organization. */
export async function deleteKeys(
  transaction: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM api_key
    WHERE organization_id = ${organization_id} AND id = ANY(${sql.array([...ids], 'uuid')})`);
}

/** Sets `last_used_at`, at most once a minute; skips locked rows, which the next use updates. */
export async function touchKeys(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE api_key SET last_used_at = now() WHERE id IN (
      SELECT id FROM api_key
      WHERE id = ANY(${sql.array([...ids], 'uuid')})
        AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')
      FOR UPDATE SKIP LOCKED)`);
}

export async function backdateKeys(
  db: Queryable,
  ids: readonly string[],
  days: number,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE api_key SET created_at = created_at - make_interval(days => ${days})
    WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

/**
 * Returns the value of `expiry_notice` for a new expiry: what would be said before it has no time
 * left, since the person who chose it knows.
 */
const noticeBefore = (expires_at: ReturnType<typeof sql.fragment>) => sql.fragment`CASE
  WHEN ${expires_at} <= now() + interval '1 day' THEN 1
  WHEN ${expires_at} <= now() + interval '7 days' THEN 7 END`;

const DueRow = z.object({
  id: z.string(),
  account_id: z.string().nullable(),
  organization_id: z.string().nullable(),
});
export type DueKey = z.infer<typeof DueRow>;

/**
 * Takes up to `limit` live keys whose owners must be told now that they expire, so that no one else
 * tells them. After an interruption, only the last notice whose time has come is sent, and none about
 * a key that has expired.
 */
export function takeDueKeys(transaction: Transaction, limit: number) {
  return transaction.any(sql.type(DueRow)`
    UPDATE api_key
    SET expiry_notice = CASE WHEN expires_at <= now() + interval '1 day' THEN 1 ELSE 7 END
    WHERE id IN (
      SELECT id FROM api_key
      WHERE revoked_at IS NULL AND expiry_notice IS DISTINCT FROM 1
        AND expires_at > now() AND expires_at <= now() + interval '7 days'
        AND (expiry_notice IS NULL OR expires_at <= now() + interval '1 day')
      ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id, account_id, organization_id`);
}

const NAME_INDEXES = ['api_key_active_name_unique', 'api_key_organization_name_unique'];

/** Returns a timestamp, or null, as a value of a statement. */
export const timestampOf = (text: string | null) =>
  text === null ? sql.fragment`NULL::timestamptz` : sql.fragment`${sql.timestamp(new Date(text))}`;

const json = (value: object) => sql.jsonb(value);
