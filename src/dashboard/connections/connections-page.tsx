import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../oauth/connections/schema.ts';
import { connectionPath, connectionsQuery } from './connections.ts';
import { pagedQuery } from '../organizations/organizations.ts';
import { Entries } from '../organizations/parts/entries.tsx';
import { Problem } from '../organizations/parts/problem.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { Loading } from '../parts/loading.tsx';
import { Moment } from '../parts/moment.tsx';
import { kindsOf } from '../parts/kinds.ts';
import { Page } from '../parts/page.tsx';
import { Fact, Row } from '../parts/row.tsx';

/** The applications that a person allowed, or that work in an organization. */
export function ConnectionsPage() {
  const { t } = useTranslation();
  const owner = useOwner();
  const { organization, pages } = owner;
  const { client } = useSearch({ strict: false });
  return (
    <Page
      title={t('connection.title')}
      about={t(organization === null ? 'connection.intro' : 'connection.intro_organization')}
      actions={
        <Button
          variant="default"
          renderRoot={(props) => <Link to={`${pages}/clients`} {...props} />}
        >
          {t('client.title')}
        </Button>
      }
    >
      <Stack>
        {client === undefined ? (
          <Entries
            query={pagedQuery<ConnectionRecord>(connectionPath(owner))}
            empty={<Nothing />}
            idOf={({ id }) => id}
          >
            {(connection) => <ConnectionRow connection={connection} />}
          </Entries>
        ) : (
          <OfClient client={client} />
        )}
      </Stack>
    </Page>
  );
}

/** The connections of one client; REST does not filter them. */
function OfClient({ client }: { client: string }) {
  const { t } = useTranslation();
  const owner = useOwner();
  const page: string = `${owner.pages}/connections`;
  const all = useQuery(connectionsQuery(connectionPath(owner)));
  const found = all.data?.filter((connection) => connection.client.id === client);
  return (
    <>
      <Group gap="sm">
        <Text size="sm">{t('connection.of_client')}</Text>
        <Link to={page} search={{}} className="text-link">
          {t('connection.of_all')}
        </Link>
      </Group>
      {all.isError && <Problem error={all.error} onRetry={() => void all.refetch()} />}
      {all.isPending && <Loading height={160} />}
      {found?.length === 0 && <Text className="card empty">{t('connection.client_empty')}</Text>}
      {found !== undefined && found.length > 0 && (
        <div className="card list">
          {found.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} />
          ))}
        </div>
      )}
    </>
  );
}

function Nothing() {
  const { t } = useTranslation();
  const { organization, pages, lacks } = useOwner();
  return (
    <Stack align="start">
      <Text>{t(organization === null ? 'connection.empty' : 'connection.empty_organization')}</Text>
      {lacks('create', 'oauth_clients') === null && (
        <Button renderRoot={(props) => <Link to={`${pages}/clients/new`} {...props} />}>
          {t('client.new')}
        </Button>
      )}
    </Stack>
  );
}

function ConnectionRow({ connection }: { connection: ConnectionRecord }) {
  const { t } = useTranslation();
  const { pages } = useOwner();
  const { id, client, mcp_capabilities, last_used_at } = connection;
  const page: string = `${pages}/connections/${id}`;
  return (
    <Link to={page} className="list-row columns">
      <Row
        name={<bdi>{client.name}</bdi>}
        about={<Place connection={connection} />}
        end={last_used_at === null ? t('keys.never_used') : <Moment at={last_used_at} />}
      >
        <Fact>{kindsOf(mcp_capabilities, t)}</Fact>
      </Row>
    </Link>
  );
}

/** Of a person's connection, where it works; of one in an organization, for whom. */
function Place({ connection: { kind, organization, account } }: { connection: ConnectionRecord }) {
  const { t } = useTranslation();
  const owner = useOwner();
  if (owner.organization === null)
    return organization === null ? (
      t('connection.own_account')
    ) : (
      <bdi>{organization.name ?? t('key_form.organization_left')}</bdi>
    );
  if (kind === 'machine') return t('connection.machine');
  return <bdi>{account?.email ?? t('connection.former_member')}</bdi>;
}
