import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isTeam, teamOf } from '../grants/place.ts';
import type { Place } from '../grants/place.ts';
import type { RoleLevel } from './level.ts';
import type { PlacedRole } from './store.ts';

/**
 * Returns the places where the author of a role must have what they put into it: for one of a single
 * team, that team; for any other, where the role is used.
 */
export const placesOfContent = async (
  level: Pick<RoleLevel, 'placesOf'>,
  db: Queryable,
  role: PlacedRole,
): Promise<readonly Place[]> =>
  isTeam(role)
    ? [{ organization_id: role.organization_id, team_id: role.team_id }]
    : level.placesOf(db, { id: role.role_id, organization_id: role.organization_id });

/**
 * Throws if the role has since been given in a place where the caller was not checked. Call it under
 * the organization's lock, which prevents that from then on.
 */
export function requirePlacesWithin(current: readonly Place[], checked: readonly Place[]): void {
  const teams = checked.map(teamOf);
  if (current.some((place) => !teams.includes(teamOf(place)))) throw new ConcurrentUpdate();
}
