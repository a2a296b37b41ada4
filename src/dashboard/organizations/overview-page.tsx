import { Anchor, Stack, Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { OWNER_ROLE } from '../../caller/system-roles.ts';
import type { MemberRecord } from '../../organizations/members/schema.ts';
import { request } from '../api/request.ts';
import { Moment } from '../parts/moment.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { Leave } from './leave.tsx';
import { NextSteps } from './next-steps.tsx';
import { pathOf } from './organizations.ts';
import { groupsOf } from './parts/permission-words.ts';
import { useTeamTitles } from './teams/use-team-titles.ts';
import { useOrganization } from './use-organization.ts';
import styles from './organizations.module.css';
import { listOf } from '../texts/texts.ts';

const COUNTED = 200;

/** What the organization is, and what the person may do in it. */
export function OrganizationPage() {
  const { t } = useTranslation();
  const { organization, id, name, may } = useOrganization();
  const titles = useTeamTitles();
  const { plan, status, created_at, membership } = organization;
  const isOwner = membership.roles.some((role) => role.id === OWNER_ROLE);
  return (
    <Page title={name} actions={!isOwner && <Leave />}>
      <Stack gap="xl">
        <dl className="card facts">
          {plan !== undefined && (
            <div>
              <dt>{t('org.plan')}</dt>
              <dd>{t(`org.plan_${plan}`)}</dd>
            </div>
          )}
          <div>
            <dt>{t('org.status')}</dt>
            <dd>{t(`org.status_${status}`)}</dd>
          </div>
          {may('can_view_organization_members') && (
            <div>
              <dt>{t('space.members')}</dt>
              <dd>
                <MemberCount id={id} />
              </dd>
            </div>
          )}
          {created_at !== undefined && (
            <div>
              <dt>{t('org.created')}</dt>
              <dd>
                <Moment at={created_at} />
              </dd>
            </div>
          )}
        </dl>
        <NextSteps />
        <section aria-labelledby="yours">
          <Title order={2} id="yours" mb="sm">
            {t('org.yours')}
          </Title>
          <dl className="card facts">
            <div>
              <dt>{t('org.your_roles')}</dt>
              <dd>{listOf(membership.roles.map((role) => role.name))}</dd>
            </div>
            <div>
              <dt>{t('org.your_teams')}</dt>
              <dd>
                {listOf(membership.teams.map((team) => titles.get(team.id) ?? team.name)) ||
                  t('key.no_team')}
              </dd>
            </div>
            <div>
              <dt>{t('new_key.capabilities')}</dt>
              <dd>
                {listOf(membership.capabilities.map((one) => t(`capability.${one}`))) ||
                  t('key.nothing')}
              </dd>
            </div>
          </dl>
          <Permissions permissions={membership.permissions} />
        </section>
      </Stack>
    </Page>
  );
}

/** Lists have no totals, so that a long one is counted only as far as one page goes. */
function MemberCount({ id }: { id: string }) {
  const { t } = useTranslation();
  const path = `${pathOf(id, '/members')}?limit=${COUNTED}`;
  const members = useQuery({
    queryKey: ['members-count', id],
    queryFn: ({ signal }) =>
      request<{ data: MemberRecord[]; next_cursor: string | null }>(path, { signal }),
  });
  if (members.isError) return t('org.unknown');
  if (members.data === undefined) return <Loading height={20} width={40} />;
  const { data, next_cursor } = members.data;
  const count = data.length.toLocaleString();
  return (
    <Anchor
      renderRoot={(props) => (
        <Link to="/app/org/$organizationId/members" params={{ organizationId: id }} {...props} />
      )}
    >
      {next_cursor === null ? count : t('org.more_than', { count: data.length })}
    </Anchor>
  );
}

function Permissions({ permissions }: { permissions: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <details className={`card ${styles.permissions}`}>
      <summary className="fold">
        {t('org.your_permissions', { count: permissions.length })}
        <IconChevronRight size={16} aria-hidden className="fold-mark" />
      </summary>
      {permissions.length === 0 && (
        <Text size="sm" px="md" pb="sm">
          {t('org.no_permission')}
        </Text>
      )}
      <dl className={`facts ${styles.groups}`}>
        {groupsOf(permissions, t).map(({ noun, verbs }) => (
          <div key={noun}>
            <dt>{noun}</dt>
            <dd>{verbs}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
