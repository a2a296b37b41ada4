import { flagTuple, systemRoles as flags } from '../../authz/authz.ts';
import type { Tuple } from '../../authz/authz.ts';
import { capabilities, grantName, organizationPermissionByGrant } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';

/** What members can do who hold the role. */
export interface RoleContent {
  /** Names as in grants. */
  permissions: readonly string[];
  capabilities: readonly Capability[];
}

export interface NamedRole extends RoleContent {
  id: string;
  name: string;
}

type SystemObject = Extract<keyof typeof flags, `org_role:${string}`>;
export interface SystemRole extends NamedRole {
  description: string;
  /** Its object in OpenFGA, shared by all organizations. */
  object: SystemObject;
}

// The same ids stand in migrations/0009_organizations.sql.
export const OWNER_ROLE = '00000000-0000-8000-8000-000000000001';
export const ADMIN_ROLE = '00000000-0000-8000-8000-000000000002';
const MEMBER_ROLE = '00000000-0000-8000-8000-000000000003';

/** The system roles, the same in every organization (C4). */
export const systemRoles: readonly SystemRole[] = [
  systemRole(OWNER_ROLE, 'Owner', 'org_role:owner', 'Holds every permission; there is one.'),
  systemRole(ADMIN_ROLE, 'Admin', 'org_role:admin', 'Holds every permission of the table.'),
  systemRole(MEMBER_ROLE, 'Member', 'org_role:member', 'Sees the organization.'),
];
const byId = new Map(systemRoles.map((role) => [role.id, role]));

export const systemRoleOf = (id: string): SystemRole | null => byId.get(id) ?? null;

/** Returns whether a custom role may not have this name, since a system role has it. */
export const isSystemName = (name: string): boolean =>
  systemRoles.some((role) => role.name.toLowerCase() === name.toLowerCase());

export const roleObject = (id: string): string => systemRoleOf(id)?.object ?? `org_role:${id}`;

/** Returns the tuples of a custom role; the model derives the permissions they imply (G1). */
export const roleTuples = (role: RoleContent & { id: string }): Tuple[] =>
  [
    ...role.permissions.flatMap((name) => organizationPermissionByGrant(name)?.relation ?? []),
    ...role.capabilities.map((capability) => `mcp_${capability}`),
  ].map((relation) => flagTuple(roleObject(role.id), relation));

function systemRole(
  id: string,
  name: string,
  object: SystemObject,
  description: string,
): SystemRole {
  const relations: readonly string[] = flags[object];
  return {
    ...{ id, name, object, description },
    permissions: relations.flatMap((relation) => grantName('organization', relation) ?? []),
    capabilities: capabilities.filter((one) => relations.includes(`mcp_${one}`)),
  };
}
