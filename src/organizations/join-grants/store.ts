import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { RoleKey } from '../roles/store.ts';

const CountRow = z.object({ count: z.number() });

/** Returns how many connections of single sign-on give a role to people who join. */
export function countConnectionsGiving(db: Queryable, role: RoleKey): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM sso_connection
    WHERE organization_id = ${role.organization_id} AND ${role.id}::uuid = ANY(role_ids)`);
}

/** Selects the connections of single sign-on that give a role in teams, with each of the teams. */
const givingInTeams = (role: RoleKey) => sql.fragment`
  sso_connection c CROSS JOIN jsonb_array_elements(c.seats) AS seat
  JOIN team t ON t.id = (seat->>'team_id')::uuid AND t.deleted_at IS NULL
  WHERE c.organization_id = ${role.organization_id} AND seat->'role_ids' ? ${role.id}::text`;

/** Returns how many connections of single sign-on give a role in teams to people who join. */
export function countConnectionsGivingInTeams(db: Queryable, role: RoleKey): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(DISTINCT c.id) FROM ${givingInTeams(role)}`);
}

const TeamRow = z.object({ team_id: z.string() });

/** Returns the teams in which connections of single sign-on give a role to people who join. */
export function listTeamsOfGivenRole(db: Queryable, role: RoleKey): Promise<readonly string[]> {
  return db.anyFirst(sql.type(TeamRow)`
    SELECT DISTINCT t.id AS team_id FROM ${givingInTeams(role)} ORDER BY t.id`);
}
