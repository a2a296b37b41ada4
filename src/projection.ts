import { accountTables } from './accounts/projected-tables.ts';
import { projectAccount } from './accounts/tuples.ts';
import { createProjections } from './authz/changes/projections.ts';
import { connectionTables, keyTables } from './organizations/credentials/projected-tables.ts';
import {
  connectionTuples,
  keyTuples,
  listServiceObjects,
  listServiceSeatObjects,
  projectServiceHolder,
  serviceScopes,
  serviceSeatScopes,
} from './organizations/credentials/tuples.ts';
import {
  listMembershipObjects,
  membershipScopes,
  projectHeldRoles,
  projectPerson,
} from './organizations/members/tuples.ts';
import { organizationTables } from './organizations/projected-tables.ts';
import { organizationRoleTuples, teamRoleTuples } from './organizations/roles/tuples.ts';
import {
  listSeatObjects,
  projectJoined,
  projectSeatRoles,
  projectSeatsOf,
  seatScopes,
} from './organizations/teams/seats/tuples.ts';
import { isUuid } from './platform/ids.ts';

/** Projections of every OpenFGA object type that is backed by rows. */
export const projections = createProjections(
  [
    {
      type: 'account',
      version: 1,
      kinds: ['account'],
      // A scope outlives its account: leftover tuples of a deleted account are compared with no rows.
      scopesOf: async (_connection, ids) =>
        new Map(
          ids
            .filter((id) => isUuid(id) && id === id.toLowerCase())
            .map((id) => [id, { kind: 'account', id }]),
        ),
      list: async (_connection, { id }) => [id],
      slices: {
        user: projectAccount,
        api_key: keyTuples.onAccount,
        connection: connectionTuples.onAccount,
      },
    },
    {
      type: 'membership',
      version: 3,
      kinds: ['membership'],
      scopesOf: membershipScopes,
      list: listMembershipObjects,
      slices: {
        account: projectPerson,
        org_role: projectHeldRoles,
        team_seat: projectSeatsOf,
        api_key: keyTuples.onMembership,
        connection: connectionTuples.onMembership,
      },
    },
    {
      type: 'org_role',
      version: 1,
      kinds: ['organization'],
      scopesOf: organizationRoleTuples.scopesOf,
      list: organizationRoleTuples.list,
      slices: { everyone: organizationRoleTuples.project },
    },
    {
      type: 'service',
      version: 2,
      kinds: ['service'],
      scopesOf: serviceScopes,
      list: listServiceObjects,
      slices: { org_key: keyTuples.onService, machine: connectionTuples.onService },
    },
    {
      // The seat of a member, or of a credential that the organization owns.
      type: 'team_seat',
      version: 3,
      kinds: ['membership', 'service'],
      scopesOf: async (connection, ids) =>
        new Map([
          ...(await seatScopes(connection, ids)),
          ...(await serviceSeatScopes(connection, ids)),
        ]),
      list: (connection, scope) =>
        scope.kind === 'service'
          ? listServiceSeatObjects(connection, scope)
          : listSeatObjects(connection, scope),
      slices: {
        membership: projectJoined,
        team_role: projectSeatRoles,
        api_key: keyTuples.onSeat,
        connection: connectionTuples.onSeat,
        service: projectServiceHolder,
        org_key: keyTuples.onServiceSeat,
        machine: connectionTuples.onServiceSeat,
      },
    },
    {
      type: 'team_role',
      version: 1,
      kinds: ['organization'],
      scopesOf: teamRoleTuples.scopesOf,
      list: teamRoleTuples.list,
      slices: { everyone: teamRoleTuples.project },
    },
  ],
  [accountTables, organizationTables, keyTables, connectionTables],
);
