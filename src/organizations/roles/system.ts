import { createRoleKind } from './kind.ts';

// migrations/0009_organizations.sql uses the same ids.
export const OWNER_ROLE = '00000000-0000-8000-8000-000000000001';
export const ADMIN_ROLE = '00000000-0000-8000-8000-000000000002';
export const MEMBER_ROLE = '00000000-0000-8000-8000-000000000003';

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
