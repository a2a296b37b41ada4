import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { foundKeysQuery } from './keys.ts';
import type { Key } from './keys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { FilterField } from '../parts/filter-field.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/loading.tsx';

const route = getRouteApi('/app/keys');
const FIND_MS = 200;

/** The account's API keys. */
export function KeysPage() {
  const { t } = useTranslation();
  const { q = '' } = route.useSearch();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const keys = useInfiniteQuery(foundKeysQuery(q));
  const find = useDebouncedCallback(
    (text: string) =>
      void navigate({ to: '/app/keys', search: text === '' ? {} : { q: text }, replace: true }),
    FIND_MS,
  );
  const all = keys.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page title={t('keys.title')} actions={<NewKeyLink />}>
      <Stack>
        {keys.isError && <ErrorAlert error={keys.error} onRetry={() => void keys.refetch()} />}
        {keys.isPending && <Loading height={160} />}
        {(all.length > 0 || q !== '') && (
          <FilterField
            aria-label={t('keys.find')}
            placeholder={t('keys.find')}
            maw={320}
            value={typed}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              find(currentTarget.value.trim());
            }}
          />
        )}
        {keys.isSuccess && all.length === 0 && q !== '' && (
          <Stack className="card empty" align="start">
            <Text>{t('keys.no_match')}</Text>
            <Button
              variant="default"
              onClick={() => {
                setTyped('');
                find('');
              }}
            >
              {t('keys.clear_filter')}
            </Button>
          </Stack>
        )}
        {keys.isSuccess && all.length === 0 && q === '' && (
          <Stack className="card empty" align="start">
            <Text>{t('keys.empty')}</Text>
            <Text size="sm" c="dimmed">
              {t('keys.empty_more')}
            </Text>
          </Stack>
        )}
        {all.length > 0 && (
          <div className="card list">
            {all.map((key) => (
              <KeyRow key={key.id} record={key} />
            ))}
          </div>
        )}
        {keys.hasNextPage && (
          <Button
            variant="default"
            loading={keys.isFetchingNextPage}
            onClick={() => void keys.fetchNextPage()}
          >
            {t('keys.more')}
          </Button>
        )}
      </Stack>
    </Page>
  );
}

function NewKeyLink() {
  const { t } = useTranslation();
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/app/keys/new" {...props} />}
    >
      {t('keys.new')}
    </Button>
  );
}

function KeyRow({ record }: { record: Key }) {
  const { t } = useTranslation();
  return (
    <Link to="/app/keys/$keyId" params={{ keyId: record.id }} className="list-row">
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>
            <bdi>{record.name}</bdi>{' '}
            {record.status === 'expired' && (
              <Badge size="sm" color="red" variant="light">
                {t('keys.expired')}
              </Badge>
            )}
          </Text>
          <Text size="sm" c="dimmed" ff="monospace">
            {record.secret_prefix}…
          </Text>
        </div>
        <Group gap="xs">
          {record.mcp_capabilities.map((capability) => (
            <Badge key={capability} variant="default" size="sm" tt="none">
              {t(`capability.${capability}`)}
            </Badge>
          ))}
          <Text size="sm" c="dimmed">
            {record.last_used_at === null ? (
              t('keys.never_used')
            ) : (
              <Moment at={record.last_used_at} />
            )}
          </Text>
        </Group>
      </Group>
    </Link>
  );
}
