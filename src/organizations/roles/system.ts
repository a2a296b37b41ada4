import { ADMIN_ROLE, MEMBER_ROLE, OWNER_ROLE } from '../../caller/system-roles.ts';
import { createRoleKind, nameOf } from './kind.ts';
import type { HeldRole } from './kind.ts';

export { ADMIN_ROLE, MEMBER_ROLE, OWNER_ROLE };

// migrations/0011_teams.sql uses the same id.
export const TEAM_ADMIN_ROLE = '00000000-0000-8000-8000-000000000004';

/** Roles of organizations; the system roles are the same in all of them (C4). */
export const organizationRoles = createRoleKind('organization', [
  {
    ...{ id: OWNER_ROLE, name: 'Owner', object: 'org_role:owner' },
    description: 'Has every permission; there is exactly one Owner.',
  },
  {
    ...{ id: ADMIN_ROLE, name: 'Admin', object: 'org_role:admin' },
    description: 'Has every permission that a role can contain.',
  },
  {
    ...{ id: MEMBER_ROLE, name: 'Member', object: 'org_role:member' },
    description: 'Sees the organization.',
  },
]);

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
