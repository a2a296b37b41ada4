import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { EncryptedColumn } from '../../platform/postgres/reencrypt.ts';
import { ConnectionAttributes, ConnectionConfiguration } from './schema.ts';

export const ssoSecrets: EncryptedColumn<'id' | 'organization_id'> = {
  table: 'sso_connection',
  column: 'secret',
  key: [['id', 'uuid']],
  bound: ['organization_id'],
  ownerOf: ({ organization_id, id }) => `${organization_id} ${id}`,
  label: 'sso-secret',
};

/** Identifies a connection and its organization. */
export interface ConnectionKey {
  id: string;
  organization_id: string;
}

const Seat = z.object({ team_id: z.string(), role_ids: z.array(z.string()) });

const ConnectionRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  name: z.string(),
  configuration: ConnectionConfiguration,
  secret: z.instanceof(Buffer).nullable(),
  attributes: ConnectionAttributes,
  role_ids: z.array(z.string()),
  /** Seats in teams that exist. */
  seats: z.array(Seat),
  configured_by: z.string().nullable(),
  may_link: z.boolean(),
  created_at: z.string(),
});
export type ConnectionRow = z.infer<typeof ConnectionRow>;
export type Seat = z.infer<typeof Seat>;

const columns = sql.fragment`
  c.id, c.organization_id, c.name, c.configuration, c.secret, c.attributes, c.role_ids,
  (SELECT coalesce(json_agg(seat ORDER BY place), '[]')
    FROM jsonb_array_elements(c.seats) WITH ORDINALITY AS given (seat, place)
    JOIN team ON team.id = (seat->>'team_id')::uuid AND team.deleted_at IS NULL) AS seats,
  c.configured_by, c.may_link, c.created_at`;

/** Returns the connections of an organization, oldest first. */
export function listConnections(db: Queryable, organization_id: string) {
  return db.any(sql.type(ConnectionRow)`
    SELECT ${columns} FROM sso_connection c
    WHERE c.organization_id = ${organization_id} ORDER BY c.id`);
}

export function findConnection(db: Queryable, { id, organization_id }: ConnectionKey) {
  return db.maybeOne(sql.type(ConnectionRow)`
    SELECT ${columns} FROM sso_connection c
    WHERE c.id = ${id} AND c.organization_id = ${organization_id}`);
}

const SignInRow = ConnectionRow.extend({ organization_status: z.enum(['active', 'suspended']) });
export type SignInConnection = z.infer<typeof SignInRow>;

const connectionOf = (id: string) => sql.fragment`
  SELECT ${columns}, o.status AS organization_status FROM sso_connection c
  JOIN organization o ON o.id = c.organization_id AND o.deleted_at IS NULL
  WHERE c.id = ${id}`;

/** Returns a connection by its id; null if there is none, or its organization is deleted. */
export function findConnectionById(db: Queryable, id: string) {
  return db.maybeOne(sql.type(SignInRow)`${connectionOf(id)}`);
}

/** Locks a connection, so that what it gives and links stays the same until the commit. */
export function lockConnection(transaction: Transaction, id: string) {
  return transaction.maybeOne(sql.type(SignInRow)`${connectionOf(id)} FOR SHARE OF c`);
}

export type WrittenConnection = Omit<ConnectionRow, 'created_at'>;

/** Inserts a connection, or replaces all fields of an existing one. */
export async function saveConnection(
  transaction: Transaction,
  written: WrittenConnection,
): Promise<void> {
  const { id, organization_id, configuration, secret, role_ids } = written;
  const sealed = secret === null ? null : sql.binary(secret);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO sso_connection (id, organization_id, name, protocol, configuration, secret,
      attributes, role_ids, seats, configured_by, may_link)
    VALUES (${id}, ${organization_id}, ${written.name}, ${configuration.protocol},
      ${sql.jsonb(configuration)}, ${sealed}, ${sql.jsonb(written.attributes)},
      ${sql.array([...role_ids], 'uuid')}, ${sql.jsonb(written.seats)},
      ${written.configured_by}, ${written.may_link})
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, configuration = excluded.configuration,
      secret = excluded.secret, attributes = excluded.attributes, role_ids = excluded.role_ids,
      seats = excluded.seats, configured_by = excluded.configured_by,
      may_link = excluded.may_link
    WHERE sso_connection.organization_id = excluded.organization_id`);
}

/** Deletes a connection with its flows and tests; false if there is none. */
export async function deleteConnection(
  transaction: Transaction,
  { id, organization_id }: ConnectionKey,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    DELETE FROM sso_connection WHERE id = ${id} AND organization_id = ${organization_id}`);
  return rowCount === 1;
}

const CountRow = z.object({ count: z.number() });

export function countConnections(db: Queryable, organization_id: string): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM sso_connection WHERE organization_id = ${organization_id}`);
}

/** Identifies a role of an organization or of its teams. */
export interface GivenRole {
  id: string;
  organization_id: string;
}

/** All connections of an organization, or those that no Admin configured. */
type Among = 'all' | 'limited';

/** Replaces a role with another one in what connections give; null removes it. */
export async function moveGivenRole(
  transaction: Transaction,
  role: GivenRole,
  to: string | null,
  among: Among = 'all',
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE sso_connection SET role_ids = ARRAY(
      SELECT DISTINCT moved.id
      FROM unnest(array_replace(role_ids, ${role.id}::uuid, ${to}::uuid)) AS moved (id)
      WHERE moved.id IS NOT NULL)
    WHERE organization_id = ${role.organization_id} AND ${role.id}::uuid = ANY(role_ids)
      AND (${among === 'all'} OR NOT may_link)`);
}

/** Replaces a team role with another one in the seats that connections give; null removes it. */
export async function moveGivenTeamRole(
  transaction: Transaction,
  role: GivenRole,
  to: string | null,
  among: Among = 'all',
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE sso_connection c SET seats = (
      SELECT coalesce(jsonb_agg(jsonb_set(seat, '{role_ids}', (
        SELECT coalesce(jsonb_agg(DISTINCT moved.id), '[]')
        FROM jsonb_array_elements_text(seat->'role_ids') AS held (id)
        CROSS JOIN LATERAL (SELECT CASE WHEN held.id = ${role.id}::text
          THEN ${to}::text ELSE held.id END AS id) moved
        WHERE moved.id IS NOT NULL)) ORDER BY place), '[]')
      FROM jsonb_array_elements(c.seats) WITH ORDINALITY AS given (seat, place))
    WHERE c.organization_id = ${role.organization_id} AND (${among === 'all'} OR NOT c.may_link)
      AND EXISTS (SELECT FROM jsonb_array_elements(c.seats) AS seat
        WHERE seat->'role_ids' ? ${role.id}::text)`);
}
