import { Badge, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { clientPath } from './clients.ts';
import { pagedQuery } from '../organizations/organizations.ts';
import { Entries } from '../organizations/parts/entries.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { Page } from '../parts/page.tsx';
import { Fact, Row } from '../parts/row.tsx';

/** The OAuth clients of a person or an organization. */
export function ClientsPage() {
  const { t } = useTranslation();
  const owner = useOwner();
  return (
    <Page
      title={t('client.title')}
      about={t('client.intro')}
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
      <Entries
        query={pagedQuery<ClientRecord>(clientPath(owner))}
        empty={t('client.empty')}
        idOf={({ id }) => id}
      >
        {(client) => <ClientRow client={client} />}
      </Entries>
    </Page>
  );
}

function ClientRow({ client }: { client: ClientRecord }) {
  const { t } = useTranslation();
  const page: string = `${useOwner().pages}/clients/${client.id}`;
  return (
    <Link to={page} className="list-row columns">
      <Row
        name={
          <>
            <bdi>{client.name}</bdi>{' '}
            {client.disabled && (
              <Badge size="sm" color="red" variant="light" tt="none">
                {t('client.disabled')}
              </Badge>
            )}
          </>
        }
        about={<span className="mono">{client.id}</span>}
        end={t('client.connection_count', { count: client.connections })}
      >
        <Fact>{t(`client.${client.type}`)}</Fact>
      </Row>
    </Link>
  );
}
