import { Button, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { capabilities } from '../../../authz/permissions.ts';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { roleName } from '../roles/role-name.ts';
import { useOrganization } from '../use-organization.ts';
import { TeamMembers } from './team-members.tsx';
import { TeamPolicies } from './team-policies.tsx';
import { TeamRoles } from './team-roles.tsx';
import { TeamSettings } from './team-settings.tsx';
import { isInside, teamQuery } from './teams.ts';
import type { Team } from './teams.ts';
import { LoadingPage } from '../../parts/loading.tsx';
import { listOf } from '../../texts/texts.ts';

const route = getRouteApi('/app/org/$organizationId/teams/$teamId');
const TABS = ['members', 'roles', 'policies', 'settings'] as const;

/** One team: its members, its policies and its settings. */
export function TeamPage() {
  const { t } = useTranslation();
  const { teamId } = route.useParams();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const { id, held } = useOrganization();
  const team = useQuery(teamQuery(id, teamId));
  if (team.isError && team.data === undefined)
    return (
      <Page title={t('teams.team')}>
        <Problem error={team.error} onRetry={() => void team.refetch()} />
      </Page>
    );
  if (team.data === undefined) return <LoadingPage />;
  return (
    <Page
      title={team.data.title}
      parents={[{ to: `/app/org/${id}/teams`, label: t('space.teams') }]}
      about={team.data.description || undefined}
      actions={
        isInside(held, team.data) && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                to="/app/org/$organizationId/teams/$teamId/tools"
                params={{ organizationId: id, teamId }}
                {...props}
              />
            )}
          >
            {t('content.team_content')}
          </Button>
        )
      }
    >
      <Stack gap="lg">
        <Facts team={team.data} />
        {isInside(held, team.data) ? (
          <Tabs
            value={TABS.find((one) => one === tab) ?? 'members'}
            onChange={(value) =>
              void navigate({
                search: { tab: TABS.find((one) => one === value) },
                replace: true,
              })
            }
            keepMounted={false}
          >
            <Tabs.List mb="md">
              {TABS.map((one) => (
                <Tabs.Tab key={one} value={one}>
                  {t(`teams.tab_${one}`)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="members">
              <TeamMembers team={team.data} />
            </Tabs.Panel>
            <Tabs.Panel value="roles">
              <TeamRoles team={team.data} />
            </Tabs.Panel>
            <Tabs.Panel value="policies">
              <TeamPolicies team={team.data} />
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <TeamSettings team={team.data} />
            </Tabs.Panel>
          </Tabs>
        ) : (
          <Text c="dimmed">{t('teams.outside')}</Text>
        )}
      </Stack>
    </Page>
  );
}

function Facts({ team }: { team: Team }) {
  const { t } = useTranslation();
  const { organization } = useOrganization();
  const { membership } = team;
  // What a role of the organization gives counts in every team (C3).
  const given = new Set([
    ...organization.membership.capabilities,
    ...(membership?.capabilities ?? []),
  ]);
  return (
    <dl className="card facts">
      {team.name !== team.title && (
        <div>
          <dt>{t('form.name')}</dt>
          <dd>
            <bdi>{team.name}</bdi>
          </dd>
        </div>
      )}
      <div>
        <dt>{t('space.members')}</dt>
        <dd>{team.members}</dd>
      </div>
      <div>
        <dt>{t('org.your_roles')}</dt>
        <dd>
          {membership === null
            ? t('teams.no_seat')
            : listOf(membership.roles.map((role) => roleName(role, t))) || t('key.nothing')}
        </dd>
      </div>
      <div>
        <dt>{t('new_key.capabilities')}</dt>
        <dd>
          {listOf(
            capabilities.filter((one) => given.has(one)).map((one) => t(`capability.${one}`)),
          ) || t('key.nothing')}
        </dd>
      </div>
    </dl>
  );
}
