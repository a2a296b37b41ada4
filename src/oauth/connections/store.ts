import { z } from 'zod';
import { StoredRestrictions } from '../../caller/restrictions/schema.ts';
import { ToolListing } from '../../caller/schema.ts';
import {
  addressesValue,
  hoursValue,
  lockForCredential,
  restrictionChanges,
} from '../../credentials/credentials.ts';
import { oauthConnections, replaceBindings } from '../../organizations/organizations.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

export const ConnectionRow = z.object({
  id: z.string(),
  kind: z.enum(['delegated', 'machine']),
  /** Null once the client was deleted. */
  client_id: z.string().nullable(),
  /** The person who authorized it; null for a machine connection. */
  account_id: z.string().nullable(),
  /** The organization that it works in; null if it works in the person's account. */
  organization_id: z.string().nullable(),
  scopes: z.array(z.string()),
  follows_teams: z.boolean(),
  has_own_authority: z.boolean(),
  /** The teams that it is bound to, even deleted ones; empty if it follows teams. */
  team_ids: z.array(z.string()),
  default_agent_id: z.string().nullable(),
  tool_listing: ToolListing,
  ...StoredRestrictions.shape,
});
export type ConnectionRow = z.infer<typeof ConnectionRow>;

/** A connection to be created. */
export type NewConnection = Omit<ConnectionRow, 'client_id'> & {
  client_id: string;
  /** The session with which it ends; null for a connection that outlives it. */
  session_id: string | null;
};

/** The columns of `oauth_connection c`, as a `ConnectionRow`. */
export const connectionColumns = sql.fragment`
  c.id, c.kind, c.client_id, c.account_id, c.organization_id, c.scopes, c.follows_teams,
  c.has_own_authority, c.default_agent_id, c.tool_listing, c.allowed_addresses, c.hours,
  ARRAY(SELECT b.team_id FROM oauth_connection_team b WHERE b.connection_id = c.id
    ORDER BY b.team_id) AS team_ids`;

/** A machine connection has no token of its own to wait for, so it is active at once. */
export async function insertConnection(
  transaction: Transaction,
  row: NewConnection,
): Promise<void> {
  if (row.account_id !== null) await lockForCredential(transaction, row.account_id);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO oauth_connection (id, kind, client_id, account_id, organization_id, scopes,
      follows_teams, has_own_authority, default_agent_id, tool_listing, allowed_addresses, hours,
      session_id, activated_at, created_at)
    VALUES (${row.id}, ${row.kind}, ${row.client_id}, ${row.account_id}, ${row.organization_id},
      ${sql.array(row.scopes, 'text')}, ${row.follows_teams}, ${row.has_own_authority},
      ${row.default_agent_id}, ${row.tool_listing}, ${addressesValue(row.allowed_addresses)},
      ${hoursValue(row.hours)}, ${row.session_id},
      CASE WHEN ${row.kind} = 'machine' THEN now() END, clock_timestamp())`);
  await replaceTeams(transaction, row);
}

type Bound = Pick<ConnectionRow, 'id' | 'organization_id' | 'team_ids'>;

/** Replaces the scopes, teams and agent of a live machine connection. */
export async function updateMachineRow(
  transaction: Transaction,
  row: Pick<
    ConnectionRow,
    'id' | 'organization_id' | 'scopes' | 'follows_teams' | 'team_ids' | 'default_agent_id'
  >,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE oauth_connection SET scopes = ${sql.array(row.scopes, 'text')},
      follows_teams = ${row.follows_teams}, default_agent_id = ${row.default_agent_id}
    WHERE id = ${row.id} AND kind = 'machine' AND revoked_at IS NULL`);
  await replaceTeams(transaction, row);
}

/** Binds a connection to exactly these teams; it no longer follows any. */
export async function bindToTeams(transaction: Transaction, row: Bound): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE oauth_connection SET follows_teams = false WHERE id = ${row.id}`);
  await replaceTeams(transaction, row);
}

async function replaceTeams(
  transaction: Transaction,
  { id, organization_id, team_ids }: Bound,
): Promise<void> {
  if (organization_id === null) return;
  await replaceBindings(transaction, oauthConnections, { id, organization_id }, team_ids);
}

/** The fields of a connection that its person or organization can change. */
export type ConnectionFields = Pick<
  ConnectionRow,
  'default_agent_id' | 'tool_listing' | 'allowed_addresses' | 'hours'
>;

/** Changes the given fields of a live connection; returns it, or null if there is none. */
export async function updateFields(
  transaction: Transaction,
  id: string,
  { default_agent_id, tool_listing, ...restrictions }: Partial<ConnectionFields>,
): Promise<ConnectionRow | null> {
  const changes = [
    ...(default_agent_id === undefined
      ? []
      : [sql.fragment`default_agent_id = ${default_agent_id}::uuid`]),
    ...(tool_listing === undefined ? [] : [sql.fragment`tool_listing = ${tool_listing}`]),
    ...restrictionChanges(restrictions),
  ];
  await transaction.query(sql.typeAlias('void')`
    UPDATE oauth_connection SET ${sql.join(changes, sql.fragment`, `)}
    WHERE id = ${id} AND revoked_at IS NULL`);
  return findConnection(transaction, id);
}

/** Records the first token of a connection, so that it is kept; false if it was revoked. */
export async function activateConnection(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE oauth_connection SET activated_at = coalesce(activated_at, now())
    WHERE id = ${id} AND revoked_at IS NULL`);
  return rowCount === 1;
}

/** Revokes a connection; returns false if it was revoked before. */
export async function revokeConnection(transaction: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE oauth_connection SET revoked_at = now() WHERE id = ${id} AND revoked_at IS NULL`);
  return rowCount === 1;
}

/** Deletes machine connections of a deleted organization. */
export async function deleteMachines(
  transaction: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM oauth_connection WHERE organization_id = ${organization_id}
      AND kind = 'machine' AND id = ANY(${sql.array([...ids], 'uuid')})`);
}

/** Sets `last_used_at`, at most once a minute; skips locked rows, which the next use updates. */
export async function touchConnections(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE oauth_connection SET last_used_at = now() WHERE id IN (
      SELECT id FROM oauth_connection
      WHERE id = ANY(${sql.array([...ids], 'uuid')})
        AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')
      FOR UPDATE SKIP LOCKED)`);
}

/**
 * Deletes connections that were revoked a month ago. The restrictions of a machine connection are
 * those of the client’s next one, so its last one stays.
 */
export const sweepConnections = (db: Queryable): Promise<void> =>
  sweepOlder(db, {
    ...{ table: 'oauth_connection', column: 'revoked_at', age: '30 days' },
    where: sql.fragment`(kind <> 'machine' OR client_id IS NULL
      OR (allowed_addresses IS NULL AND hours IS NULL)
      OR EXISTS (SELECT FROM oauth_connection later WHERE later.client_id = oauth_connection.client_id
        AND later.kind = 'machine' AND later.created_at > oauth_connection.created_at))`,
  });

const IdRow = z.object({ id: z.string() });

/** Returns a connection; null if it is revoked. */
export function findConnection(db: Queryable, id: string) {
  return db.maybeOne(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM oauth_connection c WHERE c.id = ${id} AND c.revoked_at IS NULL`);
}

/** Returns the live machine connection of a client; null if it has none. */
export function findMachine(db: Queryable, client_id: string) {
  return db.maybeOne(sql.type(ConnectionRow)`
    SELECT ${connectionColumns} FROM oauth_connection c
    WHERE c.client_id = ${client_id} AND c.kind = 'machine' AND c.revoked_at IS NULL`);
}

/** Returns the restrictions of a client’s latest machine connection, which may be revoked. */
export async function findMachineRestrictions(
  db: Queryable,
  client_id: string,
): Promise<z.infer<typeof StoredRestrictions>> {
  const found = await db.maybeOne(sql.type(StoredRestrictions)`
    SELECT allowed_addresses, hours FROM oauth_connection
    WHERE client_id = ${client_id} AND kind = 'machine' ORDER BY created_at DESC LIMIT 1`);
  return found ?? { allowed_addresses: null, hours: null };
}

/** Returns up to `limit` live connections of a client, or of those with authority of their own. */
export function listOfClient(
  db: Queryable,
  { client_id, only_own_authority }: { client_id: string; only_own_authority: boolean },
  limit: number,
) {
  return db.anyFirst(sql.type(IdRow)`
    SELECT id FROM oauth_connection
    WHERE client_id = ${client_id} AND revoked_at IS NULL
      AND (has_own_authority OR NOT ${only_own_authority})
    ORDER BY id LIMIT ${limit}`);
}

/**
 * Returns up to `limit` live connections that have not been used within ten minutes, whose client
 * was disabled or deleted or has lost the authority that they have (SC4), whose session or only
 * token has ended, or that their account no longer admits.
 */
export function listUnusable(db: Queryable, limit: number) {
  return db.anyFirst(sql.type(IdRow)`
    (SELECT id FROM oauth_connection
      WHERE activated_at IS NULL AND created_at < now() - interval '10 minutes'
        AND revoked_at IS NULL ORDER BY created_at LIMIT ${limit})
    UNION
    (SELECT c.id FROM oauth_connection c
      WHERE c.client_id IS NULL AND c.revoked_at IS NULL LIMIT ${limit})
    UNION
    (SELECT c.id FROM oauth_client o JOIN oauth_connection c ON c.client_id = o.id
      WHERE c.revoked_at IS NULL AND (o.disabled_at IS NOT NULL
        OR c.has_own_authority AND NOT 'client_credentials' = ANY(o.grant_types)) LIMIT ${limit})
    UNION
    (SELECT c.id FROM oauth_connection c
      WHERE c.session_id IS NOT NULL AND c.revoked_at IS NULL
        AND (c.activated_at < now() - interval '15 minutes' OR NOT EXISTS (
          SELECT FROM account_session s
          WHERE s.id = c.session_id AND s.revoked_at IS NULL AND s.expires_at > now()))
      LIMIT ${limit})
    UNION
    (SELECT c.id FROM ended_credentials e
      JOIN account a ON a.id = e.account_id JOIN oauth_connection c ON c.account_id = a.id
      WHERE a.credentials_ended @> c.created_at AND c.revoked_at IS NULL LIMIT ${limit})
    LIMIT ${limit}`);
}

/** Locks a client that connections are created for; returns whether it exists and is enabled. */
export async function lockEnabledClient(transaction: Transaction, id: string): Promise<boolean> {
  const found = await transaction.maybeOneFirst(sql.type(IdRow)`
    SELECT id FROM oauth_client WHERE id = ${id} AND disabled_at IS NULL FOR SHARE`);
  return found !== null;
}

/** Returns whether a person is a member of an organization that is not deleted. */
export function isLiveMember(
  db: Queryable,
  { organization_id, account_id }: { organization_id: string; account_id: string },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM membership m JOIN organization g ON g.id = m.organization_id
    WHERE m.organization_id = ${organization_id} AND m.account_id = ${account_id}
      AND m.left_at IS NULL AND g.deleted_at IS NULL`);
}

const LiveRow = ConnectionRow.extend({ client_id: z.string() });
export type LiveConnection = z.infer<typeof LiveRow>;

/**
 * Returns a connection that may get tokens: neither it nor its client was ended, the person and the
 * client's own account are active, and the person is a member of the organization.
 */
export function findLiveConnection(db: Queryable, id: string) {
  return db.maybeOne(sql.type(LiveRow)`
    SELECT ${connectionColumns}
    FROM oauth_connection c
    JOIN oauth_client o ON o.id = c.client_id AND o.disabled_at IS NULL
    LEFT JOIN account owner ON owner.id = o.account_id
    LEFT JOIN account a ON a.id = c.account_id
    LEFT JOIN organization g ON g.id = c.organization_id AND g.deleted_at IS NULL
    LEFT JOIN membership m ON m.organization_id = c.organization_id
      AND m.account_id = c.account_id AND m.left_at IS NULL
    WHERE c.id = ${id} AND c.revoked_at IS NULL
      AND (NOT c.has_own_authority OR 'client_credentials' = ANY(o.grant_types))
      AND (o.account_id IS NULL OR owner.status = 'active')
      AND (c.account_id IS NULL
        OR (a.status = 'active' AND NOT a.credentials_ended @> c.created_at))
      AND (c.organization_id IS NULL
        OR (g.id IS NOT NULL AND (c.account_id IS NULL OR m.id IS NOT NULL)))`);
}
