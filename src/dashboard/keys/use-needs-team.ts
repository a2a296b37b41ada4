import { useQuery } from '@tanstack/react-query';
import type { KeyPreview } from '../../keys/schema.ts';
import type { KeyValues } from './key-values.ts';
import { organizationsQuery, pathOf, wholeQuery } from '../organizations/organizations.ts';
import { isInside } from '../organizations/teams/teams.ts';
import type { Team } from '../organizations/teams/teams.ts';

const TEAM_GIVES = 'capability_escalation';

/**
 * Returns whether a key must be in a team before the person can give it anything: they may use
 * nothing in the whole organization, but are in teams of it.
 */
export function useNeedsTeam(
  { org_scope, team_ids }: KeyValues,
  errors: KeyPreview['errors'] = [],
): boolean {
  const hasNoTeam =
    org_scope !== null && team_ids?.length === 0 && errors.some(({ code }) => code === TEAM_GIVES);
  const organizations = useQuery({ ...organizationsQuery, enabled: hasNoTeam });
  const teams = useQuery({
    ...wholeQuery<Team>(pathOf(org_scope ?? '', '/teams')),
    enabled: hasNoTeam,
  });
  const found = organizations.data?.find(({ id }) => id === org_scope);
  const held = new Set<string>(found?.membership.permissions);
  return hasNoTeam && (teams.data ?? []).some((team) => isInside(held, team));
}

/** Returns a preview without the errors that end once a team is chosen. */
export const withoutTeamErrors = <Preview extends KeyPreview>(preview: Preview): Preview => ({
  ...preview,
  errors: preview.errors.filter(({ code }) => code !== TEAM_GIVES),
});
