import { ADMIN_ROLE, MEMBER_ROLE, OWNER_ROLE } from '../../caller/system-roles.ts';
import { createRoleKind } from './kind.ts';

export { ADMIN_ROLE, MEMBER_ROLE, OWNER_ROLE };

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
