import { createRoleKind, nameOf } from '../../roles/kind.ts';
import type { HeldRole } from '../../roles/kind.ts';

// migrations/0011_teams.sql uses the same id.
export const TEAM_ADMIN_ROLE = '00000000-0000-8000-8000-000000000004';

/** Roles of teams; `team_admin` is the same in all of them and has no capability (C4). */
export const teamRoles = createRoleKind('team', [
  {
    ...{ id: TEAM_ADMIN_ROLE, name: 'team_admin', object: 'team_role:team_admin' },
    description: 'Has every permission of the team.',
  },
]);

/** Returns a team, and a member's roles there, as a member's record refers to them. */
export const namedTeam = ({
  roles,
  ...team
}: {
  id: string;
  name: string;
  roles: readonly HeldRole[];
}) => ({ ...team, roles: roles.map(teamRoles.resolve).map(nameOf) });
