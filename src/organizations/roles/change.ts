import type { Change } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { organizationRoles } from './system.ts';
import type { RoleKey } from './store.ts';

type RoleChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/**
 * Returns the common fields of a change of one role, and of the deleted roles that it replaces; it
 * writes only the organization's scope.
 */
export const changeOf = (
  { id, organization_id }: RoleKey,
  authority: Authority,
  replaced: readonly string[] = [],
): RoleChange => ({
  ...authority,
  writes: [{ kind: 'organization', id: organization_id }],
  objects: [id, ...replaced].map((role) => ({ object: organizationRoles.objectOf(role) })),
  targets: [{ type: 'role', id }],
});
