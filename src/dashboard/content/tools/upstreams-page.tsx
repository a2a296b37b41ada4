import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { addressOf, useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { upstreamsQuery } from './tools.ts';
import { Loading } from '../../parts/loading.tsx';

/** The MCP servers whose tools can be added. */
export function UpstreamsPage() {
  const { t } = useTranslation();
  const space = useSpace();
  const servers = useInfiniteQuery(upstreamsQuery(space));
  const all = servers.data?.pages.flatMap(({ data }) => data) ?? [];
  const add = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to={addressOf(space, 'tools', 'upstreams/new')} {...props} />}
    >
      {t('content.tools.add_server')}
    </Button>
  );
  return (
    <Page title={t('content.tools.servers')} actions={add}>
      <Stack>
        <Text size="sm" c="dimmed">
          <Link to={addressOf(space, 'tools')} className="quiet-link">
            {t('content.tools.title')}
          </Link>
        </Text>
        <Text size="sm" c="dimmed">
          {t('content.tools.servers_intro')}
        </Text>
        {servers.isError && (
          <ErrorAlert error={servers.error} onRetry={() => void servers.refetch()} />
        )}
        {servers.isPending && <Loading height={160} />}
        {servers.isSuccess && all.length === 0 && (
          <Stack className="card empty" align="start">
            <Text>{t('content.tools.servers_empty')}</Text>
            {add}
          </Stack>
        )}
        {all.length > 0 && (
          <div className="card list">
            {all.map(({ id, name, url, updated_at }) => (
              <Link key={id} to={addressOf(space, 'tools', `upstreams/${id}`)} className="list-row">
                <Group justify="space-between" gap="sm">
                  <div className="row-name">
                    <Text fw={600}>
                      <bdi>{name}</bdi>
                    </Text>
                    <Text size="sm" c="dimmed" dir="ltr" ta="start">
                      {url}
                    </Text>
                  </div>
                  <Text size="sm" c="dimmed">
                    <Moment at={updated_at} />
                  </Text>
                </Group>
              </Link>
            ))}
          </div>
        )}
        {servers.hasNextPage && (
          <Button
            variant="default"
            loading={servers.isFetchingNextPage}
            onClick={() => void servers.fetchNextPage()}
          >
            {t('keys.more')}
          </Button>
        )}
      </Stack>
    </Page>
  );
}
