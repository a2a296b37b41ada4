import type { Change } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { teamOf } from '../grants/place.ts';
import type { Place } from '../grants/place.ts';
import type { RoleKind } from './kind.ts';
import type { RoleKey } from './store.ts';

type RoleChange = Pick<Change<unknown>, 'actor' | 'basis' | 'writes' | 'objects' | 'targets'>;

/**
 * Returns the common fields of a change of one role, and of the deleted roles that it replaces; it
 * writes only the organization's scope.
 */
export function changeOf(
  kind: RoleKind,
  role: Place & RoleKey,
  authority: Authority,
  replaced: readonly string[] = [],
): RoleChange {
  const team_id = teamOf(role);
  return {
    ...authority,
    writes: [{ kind: 'organization', id: role.organization_id }],
    objects: [role.id, ...replaced].map((id) => ({ object: kind.objectOf(id) })),
    targets: [
      { type: kind.target, id: role.id },
      ...(team_id === null ? [] : [{ type: 'team', id: team_id }]),
    ],
  };
}
