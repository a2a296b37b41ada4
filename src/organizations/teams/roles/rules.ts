import { unprocessable } from '../../../platform/errors/refusal.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { nameTaken } from '../../roles/rules.ts';
import type { TeamParams } from '../schema.ts';
import { isTeamRoleNamed } from './store.ts';
import type { RoleOwner, TeamRoleRow } from './store.ts';
import { teamRoles } from './system.ts';

/** Returns whether the owner is a single team, rather than the organization for all its teams. */
export const isOfTeam = (owner: RoleOwner): owner is TeamParams => owner.team_id !== null;

/** Throws 422 if a role for all teams is changed through the routes of one team. */
export function requireSameOwner(
  role: Pick<TeamRoleRow, 'team_id'>,
  { team_id }: Pick<RoleOwner, 'team_id'>,
): void {
  if (role.team_id !== team_id)
    throw unprocessable(
      'role_of_organization',
      'This role is shared by all teams of the organization: change it in `team-roles`.',
    );
}

/**
 * Throws 409 for a name in use, before any 422. Call it again under the organization's lock, which
 * every change of a team role takes: there is no index for names across an organization's teams.
 */
export async function requireFreeName(
  connection: Connection,
  role: Parameters<typeof isTeamRoleNamed>[1],
): Promise<void> {
  if (teamRoles.isSystemName(role.name) || (await isTeamRoleNamed(connection, role)))
    throw nameTaken();
}
