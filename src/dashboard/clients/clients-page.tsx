import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { clientPath } from './clients.ts';
import { pagedQuery } from '../organizations/organizations.ts';
import { Entries } from '../organizations/parts/entries.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { Page } from '../parts/page.tsx';

/** The OAuth clients of a person or an organization. */
export function ClientsPage() {
  const { t } = useTranslation();
  const owner = useOwner();
  return (
    <Page
      title={t('client.title')}
      actions={
        owner.lacks('create', 'oauth_clients') === null && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            renderRoot={(props) => <Link to={`${owner.pages}/clients/new`} {...props} />}
          >
            {t('client.new')}
          </Button>
        )
      }
    >
      <Stack>
        <Text c="dimmed" size="sm">
          {t('client.intro')}
        </Text>
        <Entries
          query={pagedQuery<ClientRecord>(clientPath(owner))}
          empty={t('client.empty')}
          idOf={({ id }) => id}
        >
          {(client) => <ClientRow client={client} />}
        </Entries>
      </Stack>
    </Page>
  );
}

function ClientRow({ client }: { client: ClientRecord }) {
  const { t } = useTranslation();
  const page: string = `${useOwner().pages}/clients/${client.id}`;
  return (
    <Link to={page} className="list-row">
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
