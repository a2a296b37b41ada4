import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { pathOf, wholeQuery } from '../organizations.ts';
import { OrganizationContext } from '../use-organization.ts';
import type { Team } from './teams.ts';

/**
 * Returns the titles of the teams that the person may see, by their ids; none on the pages of the
 * person's own space.
 */
export function useTeamTitles(): ReadonlyMap<string, string> {
  const organization = useContext(OrganizationContext);
  const { data = [] } = useQuery({
    ...wholeQuery<Team>(pathOf(organization?.id ?? '', '/teams')),
    enabled: organization !== null,
  });
  return new Map(data.map((team) => [team.id, team.title]));
}
