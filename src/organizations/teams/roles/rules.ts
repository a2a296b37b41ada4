import { unprocessable } from '../../../platform/errors/refusal.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { nameTaken } from '../../roles/rules.ts';
import type { TeamParams } from '../schema.ts';
import { isTeamRoleNamed } from './store.ts';
import type { RoleOwner, TeamRoleRow } from './store.ts';
import { teamRoles } from './system.ts';

/** Returns whether roles of a single team are meant, rather than of all teams. */
export const isOfTeam = (owner: RoleOwner): owner is TeamParams => owner.team_id !== null;

/** Throws 422 for a role of the organization that is to be changed as one of a team. */
export function requireOwn(
  role: Pick<TeamRoleRow, 'team_id'>,
  { team_id }: Pick<RoleOwner, 'team_id'>,
): void {
  if (role.team_id !== team_id)
    throw unprocessable(
      'role_of_organization',
      'This role is the organization’s, for all its teams: change it in `team-roles`.',
    );
}

/** Throws 409 for a name in use, before any 422. */
export async function requireFreeName(
  connection: Connection,
  owner: RoleOwner,
  role: { name: string; except: string | null },
): Promise<void> {
  if (teamRoles.isSystemName(role.name) || (await isTeamRoleNamed(connection, owner, role)))
    throw nameTaken();
}
