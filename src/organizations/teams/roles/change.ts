import type { Change } from '../../../authz/authz.ts';
import type { Authority } from '../../../caller/actor.ts';
import type { RoleOwner } from './store.ts';
import { teamRoles } from './system.ts';

type RoleChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/**
 * Returns the common fields of a change of one role, and of the deleted roles that it replaces; it
 * writes only the organization's scope.
 */
export const teamRoleChangeOf = (
  { id, organization_id, team_id }: RoleOwner & { id: string },
  authority: Authority,
  replaced: readonly string[] = [],
): RoleChange => ({
  ...authority,
  writes: [{ kind: 'organization', id: organization_id }],
  objects: [id, ...replaced].map((role) => ({ object: teamRoles.objectOf(role) })),
  targets: [
    { type: 'team_role', id },
    ...(team_id === null ? [] : [{ type: 'team', id: team_id }]),
  ],
});
