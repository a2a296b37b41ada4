import { flagTuple, systemRoles as flags } from '../../authz/authz.ts';
import type { Tuple } from '../../authz/authz.ts';
import {
  capabilities,
  grantName,
  organizationClosure,
  organizationPermissionByGrant,
  organizationRequirements,
  teamClosure,
  teamPermissionByGrant,
} from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import { foldCase } from '../../platform/text/fold-case.ts';

/** The permissions and capabilities of a role. */
export interface RoleContent {
  /** Named as in grants. */
  permissions: readonly string[];
  capabilities: readonly Capability[];
}

export interface NamedRole extends RoleContent {
  id: string;
  name: string;
}

/** A role as referenced by a row; `custom` is null for a system role. */
export interface HeldRole {
  id: string;
  custom: Omit<NamedRole, 'id'> | null;
}

type SystemObject = keyof typeof flags;
export interface SystemRole extends NamedRole {
  description: string;
  /** The role's object in OpenFGA, shared by all organizations. */
  object: SystemObject;
}

const KINDS = {
  organization: {
    type: 'org_role',
    target: 'role',
    actions: {
      create: 'role.create',
      update: 'role.update',
      delete: 'role.delete',
      remove: 'role.remove',
    },
    permissionByGrant: organizationPermissionByGrant,
    closure: organizationClosure,
    requirements: organizationRequirements,
  },
  team: {
    type: 'team_role',
    target: 'team_role',
    actions: {
      create: 'team_role.create',
      update: 'team_role.update',
      delete: 'team_role.delete',
      remove: 'team_role.remove',
    },
    permissionByGrant: teamPermissionByGrant,
    closure: teamClosure,
    requirements: teamClosure,
  },
} as const;

/**
 * Describes the roles of organizations or of teams: the permissions that they can contain, and the
 * system roles.
 */
export type RoleKind = ReturnType<typeof createRoleKind>;

export function createRoleKind(
  context: keyof typeof KINDS,
  system: readonly { id: string; name: string; object: SystemObject; description: string }[],
) {
  const { type, target, actions, permissionByGrant, closure, requirements } = KINDS[context];
  const systemRoles = system.map((systemRole): SystemRole => {
    const relations: readonly string[] = flags[systemRole.object];
    return {
      ...systemRole,
      permissions: relations.flatMap((relation) => grantName(context, relation) ?? []),
      capabilities: capabilities.filter((name) => relations.includes(`mcp_${name}`)),
    };
  });
  const byId = new Map(systemRoles.map((role) => [role.id, role]));
  const systemRoleOf = (id: string): SystemRole | null => byId.get(id) ?? null;
  const objectOf = (id: string): string => systemRoleOf(id)?.object ?? `${type}:${id}`;

  return {
    context,
    /** The type of these roles in the audit log, and the actions on them. */
    target,
    actions,
    systemRoles,
    systemRoleOf,
    objectOf,
    permissionByGrant,
    /** Adds the permissions that the given ones imply (G1). */
    closure,
    /** Returns the permissions that a grantor of a role with the given ones must hold (G2). */
    requirements,
    /** Returns whether a system role has this name, so that a custom one cannot. */
    isSystemName: (name: string): boolean =>
      systemRoles.some((role) => foldCase(role.name) === foldCase(name)),
    /** Returns the tuples of a custom role; the model derives the permissions they imply (G1). */
    tuplesOf: (role: RoleContent & { id: string }): Tuple[] =>
      [
        ...role.permissions.flatMap((name) => permissionByGrant(name)?.relation ?? []),
        ...role.capabilities.map((capability) => `mcp_${capability}`),
      ].map((relation) => flagTuple(objectOf(role.id), relation)),
    resolve({ id, custom }: HeldRole): NamedRole {
      const role = systemRoleOf(id) ?? (custom && { id, ...custom });
      if (role === null) throw new TypeError(`${id} is neither a system role nor a custom one.`);
      return role;
    },
    /** Returns the union of several roles, with implied permissions (G1). */
    contentOf: (roles: readonly RoleContent[]): RoleContent => ({
      permissions: closure(new Set(roles.flatMap((role) => role.permissions))),
      capabilities: capabilities.filter((capability) =>
        roles.some((role) => role.capabilities.includes(capability)),
      ),
    }),
  };
}

/** Returns how records refer to a role. */
export const nameOf = ({ id, name }: NamedRole) => ({ id, name });
