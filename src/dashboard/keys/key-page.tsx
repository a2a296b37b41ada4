import { Button, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onDemand } from '../parts/on-demand.tsx';
import { EditKey } from './edit-key.tsx';
import { KeyFacts } from './key-facts.tsx';
import { keySearchOf, keyTabs } from './key-search.ts';
import type { KeySearch, KeyTab } from './key-search.ts';
import { KeyView } from './key-view.tsx';
import { keyPreviewQuery, keyQuery } from './keys.ts';
import type { Key } from './key-values.ts';
import { permissionWords } from '../organizations/parts/permission-words.ts';
import { NeedsPermission, Problem } from '../organizations/parts/problem.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { Loading, LoadingPage } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { listOf } from '../texts/texts.ts';
import { callFilterOf } from '../usage/call-filter.ts';

const ClientSettings = onDemand(
  async () => (await import('../connect/connect-page.tsx')).ClientSettings,
);
const Calls = onDemand(async () => (await import('../usage/calls.tsx')).Calls);
const Explain = onDemand(async () => (await import('./explain.tsx')).Explain);

/** One key of a person or an organization: what it may do, how a client uses it, what it did, and why. */
export function KeyPage() {
  const { t } = useTranslation();
  const owner = useOwner();
  const { keyId = '' } = useParams({ strict: false });
  const { tab = 'access' } = keySearchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const path = `${owner.keys}/${keyId}`;
  const key = useQuery(keyQuery(path));
  // What was entered in the form stays while another tab is open.
  const [wasEdited, setEdited] = useState(false);
  if (tab === 'access' && !wasEdited) setEdited(true);
  if (key.isError && key.data === undefined)
    return (
      <Page title={t('keys.title')}>
        <Problem error={key.error} onRetry={() => void key.refetch()} />
      </Page>
    );
  if (key.data === undefined) return <LoadingPage />;
  const lacking = owner.lacks('revoke', 'api_keys');
  return (
    <Page
      title={key.data.name}
      parents={[{ to: `${owner.pages}/keys`, label: t('keys.title') }]}
      actions={
        <>
          {owner.lacks('create', 'api_keys') === null && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link to={`${owner.pages}/keys/new`} search={{ from: keyId }} {...props} />
              )}
            >
              {t('key.duplicate')}
            </Button>
          )}
          {lacking === null ? (
            <RevokeKey
              record={key.data}
              path={path}
              onRevoked={() => navigate({ to: `${owner.pages}/keys` })}
            />
          ) : (
            <Button color="red" variant="light" disabled aria-describedby="revoke-needs">
              {t('key.revoke')}
            </Button>
          )}
        </>
      }
    >
      {lacking !== null && (
        <Text size="sm" c="dimmed" ta={{ base: 'start', xs: 'end' }} mb="sm" id="revoke-needs">
          {t('key.revoke_needs', { permission: listOf(permissionWords([lacking], t)) })}
        </Text>
      )}
      <KeyFacts record={key.data} />
      <Tabs
        mt="lg"
        value={tab}
        keepMounted={false}
        onChange={(chosen) => void navigate({ to: '.', search: () => ({ tab: chosen as KeyTab }) })}
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
            <Suspense fallback={<Loading height={160} />}>
              <Panel tab={one} record={key.data} path={path} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

function Panel({ tab, record, path }: { tab: KeyTab; record: Key; path: string }) {
  const search = keySearchOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const lacking = useOwner().lacks('update', 'api_keys');
  const preview = useQuery({ ...keyPreviewQuery(path), enabled: tab === 'explain' });
  const go = (next: KeySearch) => void navigate({ to: '.', search: () => ({ ...next, tab }) });
  if (tab === 'access')
    return lacking === null ? (
      <EditKey key={record.id} record={record} />
    ) : (
      <KeyView record={record} path={path} lacking={lacking} />
    );
  if (tab === 'connect')
    return <ClientSettings clientId={search.client} onChoose={(client) => go({ client })} />;
  if (tab === 'activity') return <Activity record={record} search={search} onSearch={go} />;
  return (
    <Stack>
      {preview.isError && <Problem error={preview.error} onRetry={() => void preview.refetch()} />}
      <Explain path={path} preview={preview.data} search={search} onSearch={go} />
    </Stack>
  );
}

/** The calls of a key; those of an organization's key are among the calls of the organization. */
function Activity({
  record: { id },
  search,
  onSearch,
}: {
  record: Key;
  search: KeySearch;
  onSearch(search: KeySearch): void;
}) {
  const { organization, api, keys, lacks } = useOwner();
  const lacking = lacks('view', 'usage');
  if (lacking !== null) return <NeedsPermission permission={lacking} />;
  const source =
    organization === null
      ? { path: `${keys}/${id}/calls` }
      : { path: `${api}/calls`, fixed: { credential_id: id } };
  return <Calls source={source} filter={callFilterOf({ ...search })} onFilter={onSearch} />;
}
