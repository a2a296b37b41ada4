import { projectAccount } from './accounts/tuples.ts';
import { createProjections } from './authz/projections.ts';
import { projectKeys } from './keys/tuples.ts';
import {
  listMembershipObjects,
  membershipScopes,
  projectHeldRoles,
  projectPerson,
} from './organizations/members/tuples.ts';
import { listRoleObjects, projectRole, roleScopes } from './organizations/roles/tuples.ts';
import {
  listTeamRoleObjects,
  projectTeamRole,
  teamRoleScopes,
} from './organizations/teams/roles/tuples.ts';
import {
  listSeatObjects,
  projectJoined,
  projectSeatRoles,
  projectSeatsOf,
  seatScopes,
} from './organizations/teams/seats/tuples.ts';
import { isUuid } from './platform/ids.ts';

/** Projections of every OpenFGA object type that is backed by rows. */
export const projections = createProjections([
  {
    type: 'account',
    version: 1,
    kinds: ['account'],
    // A scope outlives its account, so leftover tuples of a deleted account are compared with none.
    scopesOf: async (_connection, ids) =>
      new Map(
        ids
          .filter((id) => isUuid(id) && id === id.toLowerCase())
          .map((id) => [id, { kind: 'account', id }]),
      ),
    list: async (_connection, { id }) => [id],
    slices: { user: projectAccount, api_key: projectKeys },
  },
  {
    type: 'membership',
    version: 1,
    kinds: ['membership'],
    scopesOf: membershipScopes,
    list: listMembershipObjects,
    slices: {
      account: projectPerson,
      org_role: projectHeldRoles,
      team_seat: projectSeatsOf,
    },
  },
  {
    type: 'org_role',
    version: 1,
    kinds: ['organization'],
    scopesOf: roleScopes,
    list: listRoleObjects,
    slices: { everyone: projectRole },
  },
  {
    type: 'team_seat',
    version: 1,
    kinds: ['membership'],
    scopesOf: seatScopes,
    list: listSeatObjects,
    slices: { membership: projectJoined, team_role: projectSeatRoles },
  },
  {
    type: 'team_role',
    version: 1,
    kinds: ['organization'],
    scopesOf: teamRoleScopes,
    list: listTeamRoleObjects,
    slices: { everyone: projectTeamRole },
  },
]);
