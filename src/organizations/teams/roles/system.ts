import { createRoleKind, nameOf } from '../../roles/kind.ts';
import type { HeldRole } from '../../roles/kind.ts';

// The same id stands in migrations/0011_teams.sql.
export const TEAM_ADMIN_ROLE = '00000000-0000-8000-8000-000000000004';

/** Roles of teams; `team_admin` is the same in all of them, and gives no capability (C4). */
export const teamRoles = createRoleKind('team', [
  {
    ...{ id: TEAM_ADMIN_ROLE, name: 'team_admin', object: 'team_role:team_admin' },
    description: 'Holds every permission of the team.',
  },
]);

/** Returns how the record of a member refers to a team and the roles held there. */
export const namedTeam = ({
  roles,
  ...team
}: {
  id: string;
  name: string;
  roles: readonly HeldRole[];
}) => ({ ...team, roles: roles.map(teamRoles.named).map(nameOf) });
