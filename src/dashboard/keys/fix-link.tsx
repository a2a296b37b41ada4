import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { everyTeamGrant } from '../../authz/permissions.ts';
import type { ExplanationStep } from '../../visibility/schema.ts';
import { organizationsQuery, pathOf, wholeQuery } from '../organizations/organizations.ts';
import { isInside } from '../organizations/teams/teams.ts';
import type { Team } from '../organizations/teams/teams.ts';

/** What a person needs to change something on a page of an organization, by the page. */
const NEEDED: Readonly<Record<string, string>> = {
  mcp: 'can_update_organization_mcp_settings',
  roles: 'can_update_organization_roles',
  keys: 'can_update_organization_api_keys',
  'oauth-clients': 'can_update_organization_oauth_clients',
};

/** Returns the organization of an address in the dashboard, and the page in it. */
function placeOf(url: string): { organizationId: string; page: string } | null {
  const [, organizationId, page] = /\/app\/org\/([^/]+)\/([^/?]+)/.exec(url) ?? [];
  return organizationId === undefined || page === undefined ? null : { organizationId, page };
}

/** Whether an address is of the teams, whose policies have a page each. */
export const isListOfTeams = (url: string): boolean => url.endsWith('/teams');

/** Leads to the page on which a reason can be changed, if the person may change it there. */
export function FixLink({ url }: { url: string | null }) {
  const { t } = useTranslation();
  const place = url === null ? null : placeOf(url);
  const { data: organizations } = useQuery({ ...organizationsQuery, enabled: place !== null });
  if (url === null) return null;
  if (place !== null) {
    const needed = isListOfTeams(url) ? everyTeamGrant : NEEDED[place.page];
    const own = organizations?.find(({ id }) => id === place.organizationId);
    const held: readonly string[] = own?.membership.permissions ?? [];
    if (needed !== undefined && !held.includes(needed)) return null;
  }
  return (
    <Anchor size="sm" href={url} c="inherit" underline="always" style={{ whiteSpace: 'nowrap' }}>
      {t('preview.change')}
    </Anchor>
  );
}

const isNamedNone = ({ name }: Team): boolean => name === 'none';

/** The teams none of whose policies admits an item, each with a link to its policies. */
export function AskedTeams({
  step,
  fixUrl,
}: {
  /** The step that says so. */
  step: ExplanationStep | undefined;
  fixUrl: string | null;
}) {
  const { t } = useTranslation();
  const place = fixUrl === null ? null : placeOf(fixUrl);
  const id = place?.organizationId ?? '';
  const isAsked = step !== undefined && place !== null;
  const { data: organizations } = useQuery({ ...organizationsQuery, enabled: isAsked });
  const teams = useQuery({ ...wholeQuery<Team>(pathOf(id, '/teams')), enabled: isAsked });
  if (step === undefined) return null;
  const names = String(step.evidence['teams']).split(', ');
  // A team may have this name.
  const isNone = names.length === 1 && names[0] === 'none' && !teams.data?.some(isNamedNone);
  if (isNone) return <Text size="sm">{t('explain.in_no_team')}</Text>;
  const held = new Set<string>(organizations?.find((one) => one.id === id)?.membership.permissions);
  return (
    <Text size="sm" component="div">
      {t('explain.teams_asked')}{' '}
      {names.map((name, index) => {
        const team = teams.data?.find((one) => one.name === name);
        return (
          <span key={name}>
            {index > 0 && ', '}
            {team !== undefined && isInside(held, team) ? (
              <Link
                to="/app/org/$organizationId/teams/$teamId"
                params={{ organizationId: id, teamId: team.id }}
                search={{ tab: 'policies' }}
                className="quiet-link"
              >
                <bdi>{team.title}</bdi>
              </Link>
            ) : (
              <bdi>{team?.title ?? name}</bdi>
            )}
          </span>
        );
      })}
    </Text>
  );
}
