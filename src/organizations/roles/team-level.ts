import type { Queryable } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import { isTeam } from '../grants/place.ts';
import {
  countInvitationsToTeamRole,
  listTeamsOfInvitedRole,
  moveInvitedSeats,
} from '../invitations/seats/store.ts';
import { countConnectionsGivingInTeams, listTeamsOfGivenRole } from '../join-grants/store.ts';
import type { RoleAuthorGuard } from './author.ts';
import type { RoleLevel } from './level.ts';
import { recordOf } from './rules.ts';
import type { TeamRoleRecord } from './schema.ts';
import { countHoldersOf, listTeamsOfRole } from './store.ts';
import type { RoleKey } from './store.ts';
import { teamRoles } from './system.ts';

// Each can have up to 44 tuples, all in the organization's scope.
const MAX_SHARED_ROLES = 100;
const MAX_OWN_ROLES = 20;

/** Roles of teams, for all teams of an organization or for one, which members have in a team. */
export const teamLevel = ({
  given,
  grants,
  authors,
}: Pick<OrganizationsDependencies, 'given'> & {
  grants: Grants;
  authors: RoleAuthorGuard;
}): RoleLevel<TeamRoleRecord> => ({
  kind: teamRoles,
  maxRoles: (place) => (isTeam(place) ? MAX_OWN_ROLES : MAX_SHARED_ROLES),
  recordOf: (role, members) => ({
    ...recordOf(role, members),
    team_id: 'team_id' in role ? role.team_id : null,
  }),
  problemsOf: (author, added, { organization_id, places }) =>
    places.length > 0
      ? grants.problemsInAny(author, added, places)
      : authors.problems(author, organization_id, added),
  placesOf,
  countUses: async (connection, role) => ({
    members: await countHoldersOf(connection, teamRoles, role, role.id),
    invitations: await countInvitationsToTeamRole(connection, role),
    connections: await countConnectionsGivingInTeams(connection, role),
  }),
  async moveGiven(transaction, role, to) {
    await moveInvitedSeats(transaction, role, to);
    await given.moveTeamRole(transaction, role, to);
  },
  grow: given.growTeamRole,
});

async function placesOf(db: Queryable, role: RoleKey) {
  const teams = new Set([
    ...(await listTeamsOfRole(db, teamRoles, role)),
    ...(await listTeamsOfInvitedRole(db, role)),
    ...(await listTeamsOfGivenRole(db, role)),
  ]);
  return [...teams].map((team_id) => ({ organization_id: role.organization_id, team_id }));
}
