import { z } from 'zod';
import type { Service } from '../../organizations/organizations.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';

const IdRow = z.object({ id: z.string() });
const ServiceRow = z.object({ id: z.string(), organization_id: z.string() });

/** Returns the given organization keys that exist, including revoked ones. */
export function findServices(connection: Connection, services: readonly Service[]) {
  const pairs = services.map(({ organization_id, id }) => [organization_id, id]);
  return connection.any(sql.type(ServiceRow)`
    SELECT id, organization_id FROM api_key WHERE (organization_id, id) IN (
      SELECT * FROM ${sql.unnest(pairs, ['uuid', 'uuid'])})`);
}

/** Returns an organization's key by id, revoked or not. */
export function findServiceById(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(ServiceRow)`
    SELECT id, organization_id FROM api_key WHERE id = ${id} AND organization_id IS NOT NULL`);
}

/** Returns up to `limit` keys of an organization, including revoked ones. */
export function listServices(connection: Connection, organization_id: string, limit: number) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT id FROM api_key WHERE organization_id = ${organization_id} ORDER BY id LIMIT ${limit}`);
}

/** Returns the live keys of an organization that follow all its teams. */
export function listFollowers(connection: Connection, organization_id: string) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT id FROM api_key
    WHERE organization_id = ${organization_id} AND revoked_at IS NULL AND follows_teams
    ORDER BY id`);
}

const SeatRow = z.object({
  team_id: z.string(),
  service_id: z.string(),
  organization_id: z.string(),
});

/** The seats of live organization keys: in the teams they are bound to, or in all teams. */
const seats = sql.fragment`
  SELECT t.id AS team_id, k.id AS service_id, k.organization_id
  FROM api_key k
  JOIN team t ON t.organization_id = k.organization_id AND t.deleted_at IS NULL
  LEFT JOIN api_key_team b ON b.key_id = k.id AND b.team_id = t.id
  WHERE k.revoked_at IS NULL AND (k.follows_teams OR b.team_id IS NOT NULL)`;

/** Returns the seats of these keys. */
export function listSeats(connection: Connection, ids: readonly string[]) {
  return connection.any(sql.type(SeatRow)`
    ${seats} AND k.id = ANY(${sql.array([...ids], 'uuid')}) ORDER BY k.id, t.id`);
}

/** Returns the keys that have a seat in a team. */
export async function listServicesIn(connection: Connection, team_id: string): Promise<string[]> {
  const rows = await connection.any(
    sql.type(SeatRow)`${seats} AND t.id = ${team_id} ORDER BY k.id`,
  );
  return rows.map(({ service_id }) => service_id);
}

/** Returns the given seats that exist. */
export function findSeats(
  connection: Connection,
  seatKeys: readonly { team_id: string; service_id: string }[],
) {
  const pairs = seatKeys.map(({ team_id, service_id }) => [team_id, service_id]);
  return connection.any(sql.type(SeatRow)`
    ${seats} AND (t.id, k.id) IN (SELECT * FROM ${sql.unnest(pairs, ['uuid', 'uuid'])})`);
}

const ScopeRow = z.object({
  kind: z.literal('service'),
  id: z.string(),
  revision: z.number(),
  applied: z.number(),
  nonce: z.string(),
  content: z.number(),
});

/** Returns the scope of an organization's key, for changes authorized on the key as it was read. */
export function findServiceScope(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(ScopeRow)`
    SELECT kind, id, revision, applied, nonce, content FROM authz_scope
    WHERE kind = 'service' AND id = ${id}`);
}
