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
    slices: { account: projectPerson, org_role: projectHeldRoles },
  },
  {
    type: 'org_role',
    version: 1,
    kinds: ['organization'],
    scopesOf: roleScopes,
    list: listRoleObjects,
    slices: { everyone: projectRole },
  },
]);
