import { useQuery } from '@tanstack/react-query';
import { pathOf, wholeQuery } from '../organizations.ts';
import { useOrganization } from '../use-organization.ts';
import type { Team } from './teams.ts';

/** Returns the titles of the teams that the person may see, by their ids. */
export function useTeamTitles(): ReadonlyMap<string, string> {
  const { id } = useOrganization();
  const { data = [] } = useQuery(wholeQuery<Team>(pathOf(id, '/teams')));
  return new Map(data.map((team) => [team.id, team.title]));
}
