import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { heldRoles } from '../../rows.ts';
import type { RoleKey } from '../../roles/store.ts';

/** A seat that the person gets on joining, with its roles. */
export interface InvitedSeat {
  team_id: string;
  role_ids: readonly string[];
}

/** The seats of `organization_invitation i` in teams that are not deleted, as `TeamsRow`. */
export const seatsColumn = sql.fragment`(
  SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name,
    'roles', ${heldRoles(sql.fragment`
      organization_invitation_seat_role r LEFT JOIN team_role c ON c.id = r.custom_role_id
      WHERE r.invitation_id = s.invitation_id AND r.team_id = s.team_id`)}) ORDER BY t.name), '[]')
  FROM organization_invitation_seat s JOIN team t ON t.id = s.team_id AND t.deleted_at IS NULL
  WHERE s.invitation_id = i.id) AS teams`;

export async function insertInvitedSeats(
  transaction: Transaction,
  { id, organization_id }: { id: string; organization_id: string },
  seats: readonly InvitedSeat[],
): Promise<void> {
  const teams = seats.map(({ team_id }) => team_id);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation_seat (organization_id, invitation_id, team_id)
    SELECT ${organization_id}, ${id}, team_id
    FROM unnest(${sql.array(teams, 'uuid')}) AS team_id`);
  const pairs = seats.flatMap(({ team_id, role_ids }) => role_ids.map((role) => [team_id, role]));
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation_seat_role
      (organization_id, invitation_id, team_id, role_id, role_owner_id)
    SELECT ${organization_id}, ${id}, given.team_id, given.role_id,
      coalesce(c.owner_id, ${organization_id}::uuid)
    FROM ${sql.unnest(pairs, ['uuid', 'uuid'])} AS given (team_id, role_id)
    LEFT JOIN team_role c ON c.id = given.role_id`);
}

const isOpen = sql.fragment`i.status = 'pending' AND i.expires_at > now()`;

const TeamRow = z.object({ team_id: z.string() });

/** Returns the teams in which open invitations grant a role. */
export function listTeamsOfInvitedRole(db: Queryable, role: RoleKey): Promise<readonly string[]> {
  return db.anyFirst(sql.type(TeamRow)`
    SELECT DISTINCT r.team_id
    FROM organization_invitation_seat_role r
    JOIN organization_invitation i ON i.id = r.invitation_id AND ${isOpen}
    JOIN team t ON t.id = r.team_id AND t.deleted_at IS NULL
    WHERE r.organization_id = ${role.organization_id} AND r.role_id = ${role.id}
    ORDER BY r.team_id`);
}

const CountRow = z.object({ count: z.number() });

/** Returns how many open invitations grant a role in a team that is not deleted. */
export function countInvitationsToTeamRole(db: Queryable, role: RoleKey): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(DISTINCT r.invitation_id)
    FROM organization_invitation_seat_role r
    JOIN organization_invitation i ON i.id = r.invitation_id AND ${isOpen}
    JOIN team t ON t.id = r.team_id AND t.deleted_at IS NULL
    WHERE r.organization_id = ${role.organization_id} AND r.role_id = ${role.id}`);
}

/** Replaces a role with another one in the seats of all invitations; with `to` null, removes it. */
export async function moveInvitedSeats(
  transaction: Transaction,
  role: RoleKey,
  to: string | null,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation_seat_role
      (organization_id, invitation_id, team_id, role_id, role_owner_id)
    SELECT r.organization_id, r.invitation_id, r.team_id, ${to}::uuid,
      coalesce((SELECT owner_id FROM team_role WHERE id = ${to}::uuid), r.organization_id)
    FROM organization_invitation_seat_role r
    WHERE r.organization_id = ${role.organization_id} AND r.role_id = ${role.id}
      AND ${to}::uuid IS NOT NULL
    ON CONFLICT DO NOTHING`);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization_invitation_seat_role
    WHERE organization_id = ${role.organization_id} AND role_id = ${role.id}`);
}
