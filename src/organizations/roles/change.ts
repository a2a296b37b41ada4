import type { Change } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { organizationRoles } from './system.ts';
import type { RoleKey } from './store.ts';

type RoleChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/** Returns the common fields of a change of one role; it writes only the organization's scope. */
export const changeOf = ({ id, organization_id }: RoleKey, authority: Authority): RoleChange => ({
  ...authority,
  writes: [{ kind: 'organization', id: organization_id }],
  objects: [{ object: organizationRoles.objectOf(id) }],
  targets: [{ type: 'role', id }],
});
