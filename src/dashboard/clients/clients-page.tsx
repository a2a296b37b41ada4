import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { clientsQuery } from './clients.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/loading.tsx';

/** The account's OAuth clients. */
export function ClientsPage() {
  const { t } = useTranslation();
  const clients = useInfiniteQuery(clientsQuery);
  const all = clients.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title={t('client.title')}
      actions={
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/app/clients/new" {...props} />}
        >
          {t('client.new')}
        </Button>
      }
    >
      <Stack>
        <Text c="dimmed" size="sm">
          {t('client.intro')}
        </Text>
        {clients.isError && (
          <ErrorAlert error={clients.error} onRetry={() => void clients.refetch()} />
        )}
        {clients.isPending && <Loading height={160} />}
        {clients.isSuccess && all.length === 0 && (
          <Stack className="card empty" align="start">
            <Text>{t('client.empty')}</Text>
          </Stack>
        )}
        {all.length > 0 && (
          <div className="card list">
            {all.map((client) => (
              <ClientRow key={client.id} client={client} />
            ))}
          </div>
        )}
        {clients.hasNextPage && (
          <Button
            variant="default"
            loading={clients.isFetchingNextPage}
            onClick={() => void clients.fetchNextPage()}
          >
            {t('keys.more')}
          </Button>
        )}
      </Stack>
    </Page>
  );
}

function ClientRow({ client }: { client: ClientRecord }) {
  const { t } = useTranslation();
  return (
    <Link to="/app/clients/$clientId" params={{ clientId: client.id }} className="list-row">
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>
            <bdi>{client.name}</bdi>{' '}
            {client.disabled && (
              <Badge size="sm" color="red" variant="light" tt="none">
                {t('client.disabled')}
              </Badge>
            )}
          </Text>
          <Text size="sm" c="dimmed" ff="monospace">
            {client.id}
          </Text>
        </div>
        <Group gap="xs">
          <Badge variant="default" size="sm" tt="none">
            {t(`client.${client.type}`)}
          </Badge>
          <Text size="sm" c="dimmed">
            {t('client.connection_count', { count: client.connections })}
          </Text>
        </Group>
      </Group>
    </Link>
  );
}
