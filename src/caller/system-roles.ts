// The roles that every organization has. migrations/0009_organizations.sql uses the same ids.
export const OWNER_ROLE = '00000000-0000-8000-8000-000000000001';
export const ADMIN_ROLE = '00000000-0000-8000-8000-000000000002';
export const MEMBER_ROLE = '00000000-0000-8000-8000-000000000003';
