import { capabilities, organizationClosure } from '../../authz/permissions.ts';
import { systemRoleOf } from './system.ts';
import type { NamedRole, RoleContent } from './system.ts';

/** A role as a membership's row has it; a system role is its id alone. */
export interface HeldRole {
  id: string;
  custom: Omit<NamedRole, 'id'> | null;
}

export function namedRole({ id, custom }: HeldRole): NamedRole {
  const role = systemRoleOf(id) ?? (custom && { id, ...custom });
  if (role === null) throw new TypeError(`${id} is neither a system role nor a custom one.`);
  return role;
}

/** Returns what several roles give together, with implied permissions (G1). */
export const contentOf = (roles: readonly RoleContent[]): RoleContent => ({
  permissions: organizationClosure(new Set(roles.flatMap((role) => role.permissions))),
  capabilities: capabilities.filter((one) => roles.some((role) => role.capabilities.includes(one))),
});
