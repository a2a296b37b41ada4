import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import { countInvitationsToRole, moveInvitedRoles } from '../invitations/roles/store.ts';
import { countConnectionsGiving } from '../join-grants/store.ts';
import type { RoleLevel } from './level.ts';
import { recordOf } from './rules.ts';
import { countHoldersOf } from './store.ts';
import { organizationRoles } from './system.ts';

// Each can have a tuple for every permission and capability, all in the organization's scope.
const MAX_ROLES = 100;

/** Roles of an organization, which its members have. */
export const organizationLevel = ({
  given,
  grants,
}: Pick<OrganizationsDependencies, 'given'> & { grants: Grants }): RoleLevel => ({
  kind: organizationRoles,
  maxRoles: () => MAX_ROLES,
  recordOf,
  problemsOf: (author, added, { places }) => grants.problemsInAny(author, added, places),
  placesOf: async (_connection, { organization_id }) => [{ organization_id }],
  countUses: async (connection, role) => ({
    members: await countHoldersOf(connection, organizationRoles, role, role.id),
    invitations: await countInvitationsToRole(connection, role),
    connections: await countConnectionsGiving(connection, role),
  }),
  async moveGiven(transaction, role, to) {
    await moveInvitedRoles(transaction, role, to);
    await given.moveRole(transaction, role, to);
  },
  grow: given.growRole,
});
