import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { keyPreviewQuery, keyQuery } from './keys.ts';
import type { Key } from './keys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Preview } from './preview.tsx';
import { RevokeKey } from './revoke-key.tsx';

const route = getRouteApi('/app/keys/$keyId');

/** One key: what it is, what it sees, and revoking it. */
export function KeyPage() {
  const { t } = useTranslation();
  const { keyId } = route.useParams();
  const navigate = useNavigate();
  const key = useQuery(keyQuery(keyId));
  const preview = useQuery(keyPreviewQuery(keyId));
  if (key.isError)
    return (
      <Page title={t('keys.title')}>
        <ErrorAlert error={key.error} onRetry={() => void key.refetch()} />
      </Page>
    );
  if (key.data === undefined) return <Skeleton height={240} aria-label={t('frame.loading')} />;
  return (
    <Page
      title={key.data.name}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/app/connect" search={{ key: keyId }} {...props} />}
          >
            {t('key.connect')}
          </Button>
          <RevokeKey record={key.data} onRevoked={() => void navigate({ to: '/app/keys' })} />
        </Group>
      }
    >
      <Stack gap="xl">
        <Facts record={key.data} />
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

function Facts({ record }: { record: Key }) {
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
        <dd>{record.mcp_capabilities.map((one) => t(`capability.${one}`)).join(', ')}</dd>
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
