import { z } from 'zod';
import type { Service } from '../../../organizations/organizations.ts';
import { sql } from '../../../platform/postgres/database.ts';
import type { Connection } from '../../../platform/postgres/database.ts';

const IdRow = z.object({ id: z.string() });
const ServiceRow = z.object({ id: z.string(), organization_id: z.string() });

/** Returns the given machine connections that exist, including revoked ones. */
export function findServices(connection: Connection, machines: readonly Service[]) {
  const pairs = machines.map(({ organization_id, id }) => [organization_id, id]);
  return connection.any(sql.type(ServiceRow)`
    SELECT id, organization_id FROM oauth_connection
    WHERE kind = 'machine' AND (organization_id, id) IN (
      SELECT * FROM ${sql.unnest(pairs, ['uuid', 'uuid'])})`);
}

/** Returns a machine connection by id, revoked or not. */
export function findServiceById(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(ServiceRow)`
    SELECT id, organization_id FROM oauth_connection WHERE id = ${id} AND kind = 'machine'`);
}

/** Returns up to `limit` machine connections of an organization, including revoked ones. */
export function listServices(connection: Connection, organization_id: string, limit: number) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT id FROM oauth_connection WHERE organization_id = ${organization_id} AND kind = 'machine'
    ORDER BY id LIMIT ${limit}`);
}

/** Returns the live machine connections of an organization that follow all its teams. */
export function listFollowers(connection: Connection, organization_id: string) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT id FROM oauth_connection
    WHERE organization_id = ${organization_id} AND kind = 'machine' AND revoked_at IS NULL
      AND follows_teams
    ORDER BY id`);
}

const SeatRow = z.object({
  team_id: z.string(),
  service_id: z.string(),
  organization_id: z.string(),
});

/** The seats of live machine connections: in the teams they are bound to, or in all teams. */
const seats = sql.fragment`
  SELECT t.id AS team_id, c.id AS service_id, c.organization_id
  FROM oauth_connection c
  JOIN team t ON t.organization_id = c.organization_id AND t.deleted_at IS NULL
  LEFT JOIN oauth_connection_team b ON b.connection_id = c.id AND b.team_id = t.id
  WHERE c.kind = 'machine' AND c.revoked_at IS NULL
    AND (c.follows_teams OR b.team_id IS NOT NULL)`;

/** Returns the seats of these machine connections. */
export function listSeats(connection: Connection, ids: readonly string[]) {
  return connection.any(sql.type(SeatRow)`
    ${seats} AND c.id = ANY(${sql.array([...ids], 'uuid')}) ORDER BY c.id, t.id`);
}

/** Returns the machine connections that have a seat in a team. */
export async function listServicesIn(connection: Connection, team_id: string): Promise<string[]> {
  const rows = await connection.any(
    sql.type(SeatRow)`${seats} AND t.id = ${team_id} ORDER BY c.id`,
  );
  return rows.map(({ service_id }) => service_id);
}

/** Returns the given seats that exist. */
export function findSeats(
  connection: Connection,
  named: readonly { team_id: string; service_id: string }[],
) {
  const pairs = named.map(({ team_id, service_id }) => [team_id, service_id]);
  return connection.any(sql.type(SeatRow)`
    ${seats} AND (t.id, c.id) IN (SELECT * FROM ${sql.unnest(pairs, ['uuid', 'uuid'])})`);
}
