import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../api/request.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Loading } from '../parts/loading.tsx';
import { tryFamilies } from './items.ts';
import type { TryItem } from './items.ts';
import { RunItem } from './run-item.tsx';
import classes from './try.module.css';
import { tryConnection } from './try-connection.ts';
import type { TryConnection } from './try-connection.ts';
import { WhyLink } from './why-link.tsx';

const route = getRouteApi('/app/try');
const PAGE = 50;

/** What the connection lists over MCP, next to the item that is tried. */
export function ItemList({ connection, isOver }: { connection: TryConnection; isOver: boolean }) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const { family = 'tool', item: name } = route.useSearch();
  const items = useQuery({
    queryKey: ['try', connection.id],
    queryFn: () =>
      connection.list().catch((error: unknown) => {
        if (error instanceof RequestError && error.status === 401) tryConnection.over(connection);
        throw error;
      }),
    enabled: !isOver,
    staleTime: Infinity,
    // While the connection is renewed, what was typed stays.
    placeholderData: keepPreviousData,
  });
  if (items.data === undefined) {
    if (isOver) return null;
    if (items.isError)
      return <ErrorAlert error={items.error} onRetry={() => void items.refetch()} />;
    return <Loading height={240} />;
  }
  const listed = items.data.filter((item) => item.family === family);
  const chosen = listed.find((item) => item.name === name);
  return (
    <div className={classes.columns}>
      {chosen !== undefined && (
        <Group className={`card list-row ${classes.chosen}`} justify="space-between" wrap="nowrap">
          <Text size="sm">
            {t(`explain.family_${family}`)}:{' '}
            <Text span inherit fw={600}>
              <bdi>{chosen.name}</bdi>
            </Text>
          </Text>
          <Button
            variant="default"
            onClick={() => void navigate({ search: ({ item: _chosen, ...search }) => search })}
          >
            {t('try.change')}
          </Button>
        </Group>
      )}
      <Stack gap="sm" className={classes.choices} mod={{ chosen: chosen !== undefined }}>
        <SegmentedControl
          aria-label={t('try.families')}
          fullWidth
          value={family}
          data={tryFamilies.map((one) => ({ value: one, label: t(`try.family_${one}`) }))}
          onChange={(one) =>
            void navigate({
              search: ({ organization }) => ({
                family: one,
                ...(organization === undefined ? {} : { organization }),
              }),
            })
          }
        />
        <Choices key={family} items={listed} />
      </Stack>
      <div>
        {chosen !== undefined && (
          <RunItem
            key={`${family} ${chosen.name}`}
            item={chosen}
            connection={connection}
            isOver={isOver}
          />
        )}
        {chosen === undefined && name !== undefined && (
          <Alert role="status" color="yellow">
            <Text size="sm">{t('try.not_listed', { name })}</Text>
            <WhyLink connection={connection} family={family} item={name} />
          </Alert>
        )}
        {chosen === undefined && name === undefined && (
          <Text className="card empty">{t('try.choose')}</Text>
        )}
      </div>
    </div>
  );
}

function Choices({ items }: { items: readonly TryItem[] }) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  const [shown, setShown] = useState(PAGE);
  const matches = items.filter(({ name, title }) =>
    `${name} ${title ?? ''}`.toLowerCase().includes(filter.toLowerCase()),
  );
  return (
    <>
      <TextInput
        aria-label={t('form.search')}
        placeholder={t('form.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter}
        onChange={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {t('try.count', { count: matches.length })}
      </Text>
      {matches.length > 0 && (
        <ul className={`card list rows ${classes.items}`}>
          {matches.slice(0, shown).map(({ family, name, title }) => (
            <li key={name}>
              <Link
                to="/app/try"
                search={(search) => ({ ...search, family, item: name })}
                className="list-row"
                activeOptions={{ includeSearch: true }}
              >
                <Text size="sm" fw={600}>
                  <bdi>{name}</bdi>
                </Text>
                {title !== null && (
                  <Text size="xs" c="dimmed">
                    <bdi>{title}</bdi>
                  </Text>
                )}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {matches.length > shown && (
        <Button variant="default" onClick={() => setShown(shown + PAGE)}>
          {t('keys.more')}
        </Button>
      )}
    </>
  );
}
