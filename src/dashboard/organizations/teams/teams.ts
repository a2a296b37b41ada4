import { queryOptions } from '@tanstack/react-query';
import { everyTeamGrant } from '../../../authz/permissions.ts';
import type { TeamRecord } from '../../../organizations/teams/schema.ts';
import type { SeatRecord } from '../../../organizations/teams/seats/schema.ts';
import { request } from '../../api/request.ts';
import { pagedQuery, pathOf } from '../organizations.ts';

export type Team = TeamRecord;
export type TeamMember = SeatRecord;

export const teamPath = (id: string, team_id: string, rest = '') =>
  pathOf(id, `/teams/${team_id}${rest}`);

export const teamQuery = (id: string, team_id: string) =>
  queryOptions({
    queryKey: ['team', id, team_id],
    queryFn: ({ signal }) => request<Team>(teamPath(id, team_id), { signal }),
  });

export const teamMembersQuery = (id: string, team_id: string) =>
  pagedQuery<TeamMember>(teamPath(id, team_id, '/members'));

/** Returns whether the person may do this in the team: by a role there, or in every team. */
export const mayInTeam =
  (held: ReadonlySet<string>, { membership }: Team) =>
  (permission: string): boolean =>
    held.has(everyTeamGrant) || (membership?.permissions.includes(permission) ?? false);

/** Returns whether the person is in the team, or manages every team; others see its record only. */
export const isInside = (held: ReadonlySet<string>, { membership }: Team): boolean =>
  held.has(everyTeamGrant) || membership !== null;
