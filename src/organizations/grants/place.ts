import type { TeamParams } from '../teams/schema.ts';

/** Where a role exists or is given: in the organization, or in one of its teams. */
export type Place = { organization_id: string } | TeamParams;

export const isTeam = (place: Place): place is TeamParams => 'team_id' in place;

/** Returns the team that the place is; null for the organization itself. */
export const teamOf = (place: Place): string | null => (isTeam(place) ? place.team_id : null);
