import { Alert, Button, Code, Group, Loader, Select, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconExternalLink } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ConnectEvent } from '../../connect/schema.ts';
import { clientSnippetsQuery } from './client-snippets.ts';
import type { ClientSnippet } from './client-snippets.ts';
import { useConnectEvents } from './connect-events.ts';
import { keysQuery } from '../keys/keys.ts';
import type { OwnKey } from '../keys/key-values.ts';
import { CopiedCode } from '../parts/copied-code.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { RevokeKey } from '../keys/revoke-key.tsx';
import type { Translate } from '../texts/texts.ts';
import { Loading } from '../parts/loading.tsx';

const route = getRouteApi('/app/connect');

/** Connects a client with a key: its settings, then waits for its first request. */
export function ConnectPage() {
  const { t } = useTranslation();
  const { key: keyId, client: clientId } = route.useSearch();
  const navigate = useNavigate({ from: '/app/connect' });
  const list = useInfiniteQuery(keysQuery);
  const keys = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const key = keys.find(({ id }) => id === keyId) ?? keys[0];
  return (
    <Page title={t('connect.title')}>
      {list.isError && <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading height={240} />}
      {list.isSuccess && key === undefined && (
        <Stack className="card empty" align="start">
          <Text>{t('connect.no_keys')}</Text>
          <Button renderRoot={(props) => <Link to="/app/keys/new" {...props} />}>
            {t('keys.new')}
          </Button>
        </Stack>
      )}
      {key !== undefined && (
        <Stack gap="xl">
          <Select
            label={t('connect.key')}
            description={t('connect.key_hint')}
            data={keys.map(({ id, name }) => ({ value: id, label: name }))}
            value={key.id}
            allowDeselect={false}
            maw={420}
            onChange={(id) => {
              if (id !== null) void navigate({ search: (search) => ({ ...search, key: id }) });
            }}
          />
          <ClientSettings
            clientId={clientId}
            onChoose={(client) => void navigate({ search: (search) => ({ ...search, client }) })}
          />
          <Activity record={key} />
        </Stack>
      )}
    </Page>
  );
}

/** What to enter in a client, with a choice of clients. */
export function ClientSettings({
  clientId,
  onChoose,
}: {
  clientId: string | undefined;
  onChoose(id: string): void;
}) {
  const { t } = useTranslation();
  const snippets = useQuery(clientSnippetsQuery);
  if (snippets.isError)
    return <ErrorAlert error={snippets.error} onRetry={() => void snippets.refetch()} />;
  if (snippets.data === undefined) return <Loading height={200} />;
  const clients = snippets.data.data;
  const client = clients.find(({ id }) => id === clientId) ?? clients[0]!;
  return (
    <section aria-labelledby="settings">
      <Title order={2} id="settings" mb="sm">
        {t('connect.settings')}
      </Title>
      <Stack gap="sm">
        <Select
          label={t('connect.client')}
          data={clients.map(({ id, title }) => ({ value: id, label: title }))}
          value={client.id}
          allowDeselect={false}
          searchable
          maw={420}
          onChange={(id) => {
            if (id !== null) onChoose(id);
          }}
        />
        <Snippet client={client} />
      </Stack>
    </section>
  );
}

function Snippet({ client }: { client: ClientSnippet }) {
  const { t } = useTranslation();
  const { configuration, install_link, note, title } = client;
  return (
    <>
      {configuration === null ? (
        <Text>{t('connect.no_key_client')}</Text>
      ) : (
        <>
          <Text size="sm">
            {t('connect.goes_to')}: <Code>{configuration.place}</Code>
          </Text>
          <CopiedCode label={configuration.place} text={configuration.text} />
        </>
      )}
      {note !== null && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      {install_link !== null && (
        <Button
          component="a"
          href={install_link}
          variant="default"
          className="add-row"
          leftSection={<IconExternalLink size={16} aria-hidden />}
        >
          {t('connect.open', { client: title })}
        </Button>
      )}
    </>
  );
}

/** Waits for the first request of a key, then shows what it does as it happens. */
function Activity({ record }: { record: OwnKey }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { events, discovery, isOpen } = useConnectEvents();
  const isOwn = ({ credential_id, status }: ConnectEvent) =>
    credential_id === record.id && status === null;
  const isSeen = events.some(isOwn);
  // A client may still send a key that was revoked, which no list shows.
  const shown = events.filter((event) => isOwn(event) || event.status !== null);
  return (
    <section aria-labelledby="events">
      <Title order={2} id="events" mb="sm">
        {t('connect.events')}
      </Title>
      <Stack>
        <Alert
          role="status"
          color={isSeen ? 'teal' : 'accent'}
          icon={isSeen ? <IconCircleCheck aria-hidden /> : <Loader size="xs" />}
        >
          {isSeen ? t('connect.seen') : t(isOpen ? 'connect.waiting' : 'connect.stopped')}
        </Alert>
        {!isSeen && discovery !== null && (
          <Alert role="status" color="yellow" title={t('connect.without_credential')}>
            {t('connect.without_credential_hint')} <Moment at={discovery.at} />
          </Alert>
        )}
        {shown.length > 0 && (
          <ul className="card list steps">
            {shown.map((event) => (
              <li key={`${event.at} ${event.kind} ${event.name ?? ''}`} className="list-row">
                <Group justify="space-between" gap="sm">
                  <Text size="sm">{sentenceOf(event, t)}</Text>
                  <Text size="sm" c="dimmed">
                    <Moment at={event.at} />
                  </Text>
                </Group>
              </li>
            ))}
          </ul>
        )}
        <Group>
          <RevokeKey
            record={record}
            path={`/api/keys/${record.id}`}
            onRevoked={() => navigate({ to: '/app/keys' })}
          />
        </Group>
      </Stack>
    </section>
  );
}

function sentenceOf({ kind, name, status }: ConnectEvent, t: Translate) {
  if (status !== null) return t('connect.event_invalid', { status, code: name ?? '' });
  return t(`connect.event_${kind}`, { name: name ?? '' });
}
