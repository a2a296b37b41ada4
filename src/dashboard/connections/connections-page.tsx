import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../oauth/connections/schema.ts';
import { connectionsQuery } from './connections.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/loading.tsx';

const PAGE = 50;

/** The applications that the person allowed to act for them. */
export function ConnectionsPage() {
  const { t } = useTranslation();
  const connections = useQuery(connectionsQuery);
  const [shown, setShown] = useState(PAGE);
  const all = connections.data ?? [];
  return (
    <Page
      title={t('connection.title')}
      actions={
        <Button variant="default" renderRoot={(props) => <Link to="/app/clients" {...props} />}>
          {t('client.title')}
        </Button>
      }
    >
      <Stack>
        <Text c="dimmed" size="sm">
          {t('connection.intro')}
        </Text>
        {connections.isError && (
          <ErrorAlert error={connections.error} onRetry={() => void connections.refetch()} />
        )}
        {connections.isPending && <Loading height={160} />}
        {connections.isSuccess && all.length === 0 && (
          <Stack className="card empty" align="start">
            <Text>{t('connection.empty')}</Text>
            <Button renderRoot={(props) => <Link to="/app/clients/new" {...props} />}>
              {t('client.new')}
            </Button>
          </Stack>
        )}
        {all.length > 0 && (
          <div className="card list">
            {all.slice(0, shown).map((connection) => (
              <ConnectionRow key={connection.id} connection={connection} />
            ))}
          </div>
        )}
        {all.length > shown && (
          <Button variant="default" onClick={() => setShown(shown + PAGE)}>
            {t('keys.more')}
          </Button>
        )}
      </Stack>
    </Page>
  );
}

function ConnectionRow({ connection }: { connection: ConnectionRecord }) {
  const { t } = useTranslation();
  const { id, client, organization, mcp_capabilities, last_used_at } = connection;
  return (
    <Link to="/app/connections/$connectionId" params={{ connectionId: id }} className="list-row">
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>
            <bdi>{client.name}</bdi>
          </Text>
          <Text size="sm" c="dimmed">
            {organization === null ? t('connection.own_account') : <bdi>{organization.name}</bdi>}
          </Text>
        </div>
        <Group gap="xs">
          {mcp_capabilities.map((capability) => (
            <Badge key={capability} variant="default" size="sm" tt="none">
              {t(`capability.${capability}`)}
            </Badge>
          ))}
          <Text size="sm" c="dimmed">
            {last_used_at === null ? t('keys.never_used') : <Moment at={last_used_at} />}
          </Text>
        </Group>
      </Group>
    </Link>
  );
}
