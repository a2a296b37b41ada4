import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { readAll } from '../../api/lists.ts';
import { pathOf, wholeQuery } from '../../organizations/organizations.ts';
import { isInside, mayInTeam, teamPath } from '../../organizations/teams/teams.ts';
import type { Team } from '../../organizations/teams/teams.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import type { Family } from '../access-search.ts';

type Entry = { id: string; name: string } | { id: string; path: string };

const itemsIn = (path: string, team: string | null) =>
  queryOptions({
    queryKey: ['access', 'items', path],
    queryFn: async ({ signal }) =>
      (await readAll<Entry>(path, signal)).map((entry) => {
        const name = 'path' in entry ? entry.path : entry.name;
        return { value: entry.id, label: team === null ? name : `${name} (${team})` };
      }),
    staleTime: 60_000,
  });

/** The last part of the path of a family's own items. */
const LISTS: Readonly<Record<Family, string>> = {
  ...{ tools: 'custom-tools', prompts: 'prompts', resources: 'resources', agents: 'agents' },
};

/** Returns the items of a family that the person may list: built-in ones, the organization's, teams'. */
export function useItemOptions(family: Family): readonly { value: string; label: string }[] {
  const { id, held, may } = useOrganization();
  const { data: teams = [] } = useQuery(wholeQuery<Team>(pathOf(id, '/teams')));
  const lists = [
    ...(family === 'tools' || family === 'prompts'
      ? [itemsIn(`/api/catalog/${family}`, null)]
      : []),
    ...(may(`can_view_organization_${family}`)
      ? [itemsIn(pathOf(id, `/${LISTS[family]}`), null)]
      : []),
    ...teams
      .filter((team) => isInside(held, team) && mayInTeam(held, team)(`can_view_team_${family}`))
      .map((team) => itemsIn(teamPath(id, team.id, `/${LISTS[family]}`), team.title)),
  ];
  const found = useQueries({ queries: lists }).flatMap(({ data }) => data ?? []);
  // An item that was promoted meanwhile is in two of the lists.
  return [...new Map(found.map((one) => [one.value, one])).values()].toSorted((a, b) =>
    a.label.localeCompare(b.label),
  );
}
