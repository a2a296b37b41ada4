import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EditKey } from './edit-key.tsx';
import { keyTabs } from './key-search.ts';
import type { KeySearch, KeyTab } from './key-search.ts';
import { keyPreviewQuery, keyQuery } from './keys.ts';
import type { Key } from './keys.ts';
import { callFilterOf } from '../usage/calls-query.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { Loading, LoadingPage } from '../parts/loading.tsx';

const ClientSettings = lazy(async () => ({
  default: (await import('../connect/connect-page.tsx')).ClientSettings,
}));
const Calls = lazy(async () => ({ default: (await import('../usage/calls.tsx')).Calls }));
const Explain = lazy(async () => ({ default: (await import('./explain.tsx')).Explain }));

const route = getRouteApi('/app/keys/$keyId');

/** One key: what it may do, how a client uses it, what it did, and why. */
export function KeyPage() {
  const { t } = useTranslation();
  const { keyId } = route.useParams();
  const { tab = 'access' } = route.useSearch();
  const navigate = useNavigate();
  const key = useQuery(keyQuery(keyId));
  // What was entered in the form stays while another tab is open.
  const [wasEdited, setEdited] = useState(false);
  if (tab === 'access' && !wasEdited) setEdited(true);
  if (key.isError)
    return (
      <Page title={t('keys.title')}>
        <ErrorAlert error={key.error} onRetry={() => void key.refetch()} />
      </Page>
    );
  if (key.data === undefined) return <LoadingPage />;
  return (
    <Page
      title={key.data.name}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/app/keys/new" search={{ from: keyId }} {...props} />}
          >
            {t('key.duplicate')}
          </Button>
          <RevokeKey
            record={key.data}
            path={`/api/keys/${keyId}`}
            onRevoked={() => navigate({ to: '/app/keys' })}
          />
        </Group>
      }
    >
      <Facts record={key.data} />
      <Tabs
        mt="lg"
        value={tab}
        keepMounted={false}
        onChange={(chosen) =>
          void navigate({
            to: '/app/keys/$keyId',
            params: { keyId },
            search: { tab: chosen as KeyTab },
          })
        }
      >
        <Tabs.List mb="lg" aria-label={t('key.tabs')}>
          {keyTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`key.tab_${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {keyTabs.map((one) => (
          <Tabs.Panel key={one} value={one} keepMounted={one === 'access' && wasEdited}>
            <Panel tab={one} record={key.data} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

function Panel({ tab, record }: { tab: KeyTab; record: Key }) {
  const { id } = record;
  const search = route.useSearch();
  const navigate = useNavigate();
  const preview = useQuery({ ...keyPreviewQuery(id), enabled: tab === 'explain' });
  const go = (next: KeySearch) =>
    void navigate({
      to: '/app/keys/$keyId',
      params: { keyId: id },
      search: { ...next, tab },
    });
  if (tab === 'access') return <EditKey key={id} record={record} />;
  if (tab === 'connect')
    return (
      <Suspense fallback={<Loading height={160} />}>
        <ClientSettings clientId={search.client} onChoose={(client) => go({ client })} />
      </Suspense>
    );
  if (tab === 'activity')
    return (
      <Suspense fallback={<Loading height={160} />}>
        <Calls path={`/api/keys/${id}/calls`} filter={callFilterOf({ ...search })} onFilter={go} />
      </Suspense>
    );
  return (
    <Stack>
      {preview.isError && (
        <ErrorAlert error={preview.error} onRetry={() => void preview.refetch()} />
      )}
      <Suspense fallback={<Loading height={160} />}>
        <Explain path={`/api/keys/${id}`} preview={preview.data} search={search} onSearch={go} />
      </Suspense>
    </Stack>
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
