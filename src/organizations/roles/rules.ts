import { organizationClosure, organizationPermissionByGrant } from '../../authz/permissions.ts';
import { conflict, unprocessable } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Granted } from '../escalation.ts';
import type { RoleEdit, RoleRecord } from './schema.ts';
import type { RoleContent } from './kind.ts';

/** Returns a problem for each name that no role can contain, the Owner's three among them (G3). */
export const unknownPermissions = (permissions: readonly string[]): Problem[] =>
  permissions.flatMap((name, index) =>
    organizationPermissionByGrant(name) === null
      ? [
          {
            code: 'unknown_permission' as const,
            message: 'No role can contain such a permission.',
            detail: { pointer: `/permissions/${index}` },
          },
        ]
      : [],
  );

/** Returns what an edit gives that the role did not give before; taking away needs no holding. */
export function givenBy(edit: RoleEdit, before: RoleContent | null): Granted[] {
  const had = new Set(organizationClosure(new Set(before?.permissions)));
  const permissions = (edit.permissions ?? []).map((name, index) => ({
    pointer: `/permissions/${index}`,
    content: { permissions: had.has(name) ? [] : [name], capabilities: [] },
  }));
  const capabilities = (edit.capabilities ?? []).map((name, index) => ({
    pointer: `/capabilities/${index}`,
    content: { permissions: [], capabilities: before?.capabilities.includes(name) ? [] : [name] },
  }));
  return [...permissions, ...capabilities];
}

export function requireCustom({ system }: Pick<RoleRecord, 'system'>): void {
  if (system)
    throw unprocessable('system_role', 'A system role is the same in every organization.');
}

export const nameTaken = () =>
  conflict('name_taken', 'Another role has this name.', { detail: { pointer: '/name' } });
