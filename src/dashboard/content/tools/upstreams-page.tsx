import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { addressOf, useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Row } from '../../parts/row.tsx';
import { upstreamsQuery } from './tools.ts';
import { Loading } from '../../parts/loading.tsx';
import { MoreButton } from '../../parts/more-button.tsx';

/** The MCP servers whose tools can be added. */
export function UpstreamsPage() {
  const { t } = useTranslation();
  const space = useSpace();
  const servers = useInfiniteQuery(upstreamsQuery(space));
  const all = servers.data?.pages.flatMap(({ data }) => data) ?? [];
  const add = (
    <>
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link to={addressOf(space, 'tools', 'upstreams/import')} {...props} />
        )}
      >
        {t('content.tools.import_servers')}
      </Button>
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        renderRoot={(props) => <Link to={addressOf(space, 'tools', 'upstreams/new')} {...props} />}
      >
        {t('content.tools.add_server')}
      </Button>
    </>
  );
  return (
    <Page
      title={t('content.tools.servers')}
      parents={[{ to: addressOf(space, 'tools'), label: t('content.tools.title') }]}
      about={t('content.tools.servers_intro')}
      actions={add}
    >
      <Stack>
        {servers.isError && (
          <ErrorAlert error={servers.error} onRetry={() => void servers.refetch()} />
        )}
        {servers.isPending && <Loading height={160} />}
        {servers.isSuccess && all.length === 0 && (
          <Text className="card empty">{t('content.tools.servers_empty')}</Text>
        )}
        {all.length > 0 && (
          <div className="card list">
            {all.map(({ id, name, url, updated_at }) => (
              <Link
                key={id}
                to={addressOf(space, 'tools', `upstreams/${id}`)}
                className="list-row columns"
              >
                <Row
                  name={<bdi>{name}</bdi>}
                  about={<bdi dir="ltr">{url}</bdi>}
                  end={<Moment at={updated_at} />}
                />
              </Link>
            ))}
          </div>
        )}
        <MoreButton list={servers} />
      </Stack>
    </Page>
  );
}
