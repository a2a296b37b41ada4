import { conflict, forbidden, unprocessable } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { RequestedGrant } from '../grants/grants.ts';
import { teamOf } from '../grants/place.ts';
import type { Place } from '../grants/place.ts';
import type { RoleDraft, RoleEdit, RoleRecord } from './schema.ts';
import type { RoleContent, RoleKind, SystemRole } from './kind.ts';
import { isNameTaken } from './store.ts';
import type { RoleRow } from './store.ts';

/**
 * Returns a problem for each name that no role can contain, such as the Owner's permissions (G3).
 */
export const unknownPermissions = (kind: RoleKind, permissions: readonly string[]): Problem[] =>
  permissions.flatMap((name, index) =>
    kind.permissionByGrant(name) === null
      ? [
          {
            code: 'unknown_permission' as const,
            message:
              'Roles cannot contain this permission: it does not exist, or only the Owner has it.',
            detail: { pointer: `/permissions/${index}` },
          },
        ]
      : [],
  );

/**
 * Returns the content that an edit adds to a role and that its author must hold; removing content
 * requires no permission. One without a scope counts as added if what implied it is removed: an access
 * token would otherwise leave it alone, which no token holds.
 */
export function contentAddedBy(
  kind: RoleKind,
  edit: RoleEdit,
  before: RoleContent | null,
): RequestedGrant[] {
  const required = new Set(kind.requirements(new Set(edit.permissions)));
  const had = new Set(kind.requirements(new Set(before?.permissions)));
  const permissions = (edit.permissions ?? []).map((name, index) => ({
    pointer: `/permissions/${index}`,
    content: { permissions: required.has(name) && !had.has(name) ? [name] : [], capabilities: [] },
  }));
  const capabilities = (edit.capabilities ?? []).map((name, index) => ({
    pointer: `/capabilities/${index}`,
    content: { permissions: [], capabilities: before?.capabilities.includes(name) ? [] : [name] },
  }));
  return [...permissions, ...capabilities];
}

/** Returns whether a role contains something that another one does not. */
export function containsMore(kind: RoleKind, role: RoleContent, other: RoleContent): boolean {
  const permissions = new Set(kind.closure(new Set(other.permissions)));
  return (
    !role.permissions.every((name) => permissions.has(name)) ||
    !role.capabilities.every((name) => other.capabilities.includes(name))
  );
}

/**
 * Throws 403 if the caller lacks content of a role that is to be replaced, as when changing its
 * members one by one. `problems` are those of granting this content.
 */
export function requireMayReplace(problems: readonly Problem[]): void {
  if (problems.length > 0)
    throw forbidden(
      'permission_denied',
      'Through this role, members have permissions or capabilities that you do not have, so you cannot replace it.',
    );
}

export function requireCustom({ system }: Pick<RoleRecord, 'system'>): void {
  if (system)
    throw unprocessable(
      'system_role',
      'System roles cannot be changed or deleted. Create a custom role instead.',
    );
}

/** Throws 422 if a role for all teams is changed through the routes of one team. */
export function requireOfPlace(
  { team_id = null }: { id: string; team_id?: string | null },
  place: Place,
): void {
  if (team_id !== teamOf(place))
    throw unprocessable(
      'role_of_organization',
      'This role is shared by all teams of the organization: change it in `team-roles`.',
    );
}

/**
 * Throws 409 for a name in use, before any 422. Call it again under the organization's lock, which
 * every change of a role takes: there is no index for names across an organization's teams.
 */
export async function requireFreeName(
  db: Queryable,
  kind: RoleKind,
  role: Parameters<typeof isNameTaken>[2],
): Promise<void> {
  if (kind.isSystemName(role.name) || (await isNameTaken(db, kind, role))) throw nameTaken();
}

export const nameTaken = () =>
  conflict('name_taken', 'Another role has this name. Choose a different one.', {
    detail: { pointer: '/name' },
  });

/** Applies the fields that an edit contains; duplicate permissions are removed. */
export const applyEdit = <Role extends RoleDraft>(before: Role, edit: RoleEdit): Role => ({
  ...before,
  name: edit.name ?? before.name,
  description: edit.description ?? before.description,
  permissions: [...new Set(edit.permissions ?? before.permissions)],
  capabilities: edit.capabilities ?? before.capabilities,
});

/** Returns the editable fields. */
export const fieldsOf = ({ name, description, permissions, capabilities }: RoleDraft) => ({
  ...{ name, description, permissions, capabilities },
});

export function recordOf(role: RoleRow | SystemRole, members: number): RoleRecord {
  const { id, name, description, permissions, capabilities } = role;
  return {
    ...{ id, name, description, members },
    system: 'object' in role,
    permissions: [...permissions],
    capabilities: [...capabilities],
  };
}
