import { createRoleKind } from './kind.ts';

// The same ids stand in migrations/0009_organizations.sql.
export const OWNER_ROLE = '00000000-0000-8000-8000-000000000001';
export const ADMIN_ROLE = '00000000-0000-8000-8000-000000000002';
const MEMBER_ROLE = '00000000-0000-8000-8000-000000000003';

/** Roles of organizations; the system roles are the same in all of them (C4). */
export const organizationRoles = createRoleKind('organization', [
  {
    ...{ id: OWNER_ROLE, name: 'Owner', object: 'org_role:owner' },
    description: 'Holds every permission; there is one.',
  },
  {
    ...{ id: ADMIN_ROLE, name: 'Admin', object: 'org_role:admin' },
    description: 'Holds every permission of the table.',
  },
  {
    ...{ id: MEMBER_ROLE, name: 'Member', object: 'org_role:member' },
    description: 'Sees the organization.',
  },
]);
