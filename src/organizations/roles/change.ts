import type { Change } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { organizationRoles } from './system.ts';
import type { RoleKey } from './store.ts';

type RoleChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/** Returns a change of one role: of the organization's scope, whatever the number of holders. */
export const changeOf = ({ id, organization_id }: RoleKey, authority: Authority): RoleChange => ({
  ...authority,
  writes: [{ kind: 'organization', id: organization_id }],
  objects: [{ object: organizationRoles.objectOf(id) }],
  targets: [{ type: 'role', id }],
});
