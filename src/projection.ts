import { accountTables } from './accounts/projected-tables.ts';
import { projectAccount } from './accounts/tuples.ts';
import { createProjections } from './authz/changes/projections.ts';
import { keyTables } from './keys/projected-tables.ts';
import { keyServices } from './keys/services/services.ts';
import { projectBoundKeys, projectKeys, projectMemberKeys } from './keys/tuples.ts';
import { machineServices } from './oauth/connections/machines/services.ts';
import { connectionTables } from './oauth/connections/projected-tables.ts';
import {
  projectBoundConnections,
  projectConnections,
  projectMemberConnections,
} from './oauth/connections/tuples.ts';
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

const { tuples: keys } = keyServices;
const { tuples: machines } = machineServices;

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
      slices: { user: projectAccount, api_key: projectKeys, connection: projectConnections },
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
        api_key: projectMemberKeys,
        connection: projectMemberConnections,
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
      scopesOf: async (connection, ids) =>
        new Map([
          ...(await keys.scopesOf(connection, ids)),
          ...(await machines.scopesOf(connection, ids)),
        ]),
      list: async (connection, scope) => [
        ...(await keys.list(connection, scope)),
        ...(await machines.list(connection, scope)),
      ],
      slices: { org_key: keys.project, machine: machines.project },
    },
    {
      // The seat of a member, or of a credential that the organization owns.
      type: 'team_seat',
      version: 3,
      kinds: ['membership', 'service'],
      scopesOf: async (connection, ids) =>
        new Map([
          ...(await seatScopes(connection, ids)),
          ...(await keys.seatScopesOf(connection, ids)),
          ...(await machines.seatScopesOf(connection, ids)),
        ]),
      list: async (connection, scope) =>
        scope.kind === 'service'
          ? [
              ...(await keys.listSeats(connection, scope)),
              ...(await machines.listSeats(connection, scope)),
            ]
          : listSeatObjects(connection, scope),
      slices: {
        membership: projectJoined,
        team_role: projectSeatRoles,
        api_key: projectBoundKeys,
        connection: projectBoundConnections,
        service: async (connection, id, subject) => [
          ...(await keys.projectHolder(connection, id, subject)),
          ...(await machines.projectHolder(connection, id, subject)),
        ],
        org_key: keys.projectBound,
        machine: machines.projectBound,
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
