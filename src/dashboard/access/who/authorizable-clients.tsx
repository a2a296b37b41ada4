import { List, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { HolderPage } from '../../../explorer/schema.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

/** The organization's clients that could have it once somebody authorizes them. */
export function AuthorizableClients({ clients }: { clients: HolderPage['authorizable_clients'] }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  if (clients.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h3" mt="lg">
        {t('access.authorizable')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('access.authorizable_about')}
      </Text>
      <List spacing="xs">
        {clients.map((client) => (
          <List.Item key={client.id}>
            {may('can_view_organization_oauth_clients') ? (
              <Link
                to="/app/org/$organizationId/clients/$clientId"
                params={{ organizationId: id, clientId: client.id }}
                className="text-link"
              >
                <bdi>{client.name}</bdi>
              </Link>
            ) : (
              <bdi>{client.name}</bdi>
            )}
          </List.Item>
        ))}
      </List>
    </section>
  );
}
