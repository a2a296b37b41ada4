import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Preview } from '../../keys/preview.tsx';
import { RevokeKey } from '../../keys/revoke-key.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { pathOf } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { KeyTeams } from './keys-page.tsx';
import { organizationKeyPreviewQuery, organizationKeyQuery } from './organization-keys.ts';
import type { OrganizationKey } from './organization-keys.ts';
import { LoadingPage } from '../../parts/loading.tsx';

const route = getRouteApi('/app/org/$organizationId/keys/$keyId');

/** One key of the organization: what it is, what it sees, and revoking it. */
export function OrganizationKeyPage() {
  const { t } = useTranslation();
  const { keyId } = route.useParams();
  const { id, may } = useOrganization();
  const key = useQuery(organizationKeyQuery(id, keyId));
  const preview = useQuery(organizationKeyPreviewQuery(id, keyId));
  if (key.isError)
    return (
      <Page title={t('org_keys.key')}>
        <Problem error={key.error} onRetry={() => void key.refetch()} />
      </Page>
    );
  if (key.data === undefined) return <LoadingPage />;
  return (
    <Page
      title={key.data.name}
      actions={may('can_revoke_organization_api_keys') && <Revoke record={key.data} />}
    >
      <Stack gap="xl">
        <Facts record={key.data} />
        <section aria-labelledby="grants">
          <Title order={2} id="grants" mb="sm">
            {t('org_keys.grants')}
          </Title>
          <Group gap="xs">
            {key.data.grants.flatMap(({ permissions }) =>
              permissions.map((one) => <Code key={one}>{one}</Code>),
            )}
            {key.data.grants.length === 0 && <Text>{t('org_keys.no_grants')}</Text>}
          </Group>
        </section>
        <section aria-labelledby="access">
          <Title order={2} id="access" mb="sm">
            {t('key.access')}
          </Title>
          <Preview preview={preview.data} error={preview.error} isPending={preview.isPending} />
        </section>
      </Stack>
    </Page>
  );
}

function Facts({ record }: { record: OrganizationKey }) {
  const { t } = useTranslation();
  const times = [
    [t('key.created'), record.created_at],
    [t('key.last_used'), record.last_used_at],
    [t('key.expires'), record.expires_at],
  ] as const;
  return (
    <dl className="card facts">
      <div>
        <dt>{t('key.prefix')}</dt>
        <dd>
          <Text span ff="monospace">
            {record.secret_prefix}…
          </Text>
        </dd>
      </div>
      <div>
        <dt>{t('new_key.capabilities')}</dt>
        <dd>
          {record.mcp_capabilities.map((one) => t(`capability.${one}`)).join(', ') ||
            t('org.nothing')}
        </dd>
      </div>
      <div>
        <dt>{t('members.teams')}</dt>
        <dd>
          <KeyTeams record={record} />
        </dd>
      </div>
      <div>
        <dt>{t('org_keys.created_by')}</dt>
        <dd>
          <bdi>{record.created_by?.email ?? t('org_keys.deleted_account')}</bdi>
        </dd>
      </div>
      {times.map(([label, at]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{at === null ? t('key.never') : <Moment at={at} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Revoke({ record }: { record: OrganizationKey }) {
  const { id } = useOrganization();
  const navigate = useNavigate();
  return (
    <RevokeKey
      record={record}
      path={pathOf(id, `/keys/${record.id}`)}
      onRevoked={() =>
        navigate({ to: '/app/org/$organizationId/keys', params: { organizationId: id } })
      }
    />
  );
}
