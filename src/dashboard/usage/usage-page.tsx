import { Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UsageReport } from '../../usage/schema.ts';
import { Calls } from './calls.tsx';
import { Days } from './days.tsx';
import { usageQuery } from './usage-query.ts';
import { keysQuery } from '../keys/keys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/loading.tsx';

const route = getRouteApi('/app/usage');

/** How much of the limits is used, calls per day and item, and every call. */
export function UsagePage() {
  const { t } = useTranslation();
  const filter = route.useSearch();
  const navigate = useNavigate();
  const usage = useQuery(usageQuery);
  const keys = useInfiniteQuery(keysQuery);
  return (
    <Page title={t('usage.title')}>
      <Stack gap="xl">
        <section aria-labelledby="limits">
          <Title order={2} id="limits" mb={4}>
            {t('usage.limits')}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {t('usage.keys_share')}
          </Text>
          {usage.isError && <ErrorAlert error={usage.error} onRetry={() => void usage.refetch()} />}
          {usage.isPending && <Loading height={100} />}
          {usage.data !== undefined && <Limits report={usage.data} />}
        </section>
        <Days />
        {usage.data !== undefined && <ByItem items={usage.data.tools} />}
        <section aria-labelledby="calls">
          <Title order={2} id="calls" mb="sm">
            {t('usage.calls')}
          </Title>
          <Calls
            path="/api/me/calls"
            filter={filter}
            onFilter={(search) => void navigate({ to: '/app/usage', search })}
            keys={keys.data?.pages.flatMap(({ data }) => data) ?? []}
          />
        </section>
      </Stack>
    </Page>
  );
}

function Limits({ report: { windows, month } }: { report: UsageReport }) {
  const { t } = useTranslation();
  const limits = [
    ...windows.map(({ window, ...use }) => ({ ...use, label: t(`usage.window_${window}`) })),
    { ...month, label: t('usage.month') },
  ];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      {limits.map(({ label, used, limit, resets_at }) => (
        <div key={label} className="card figure">
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text fw={600} my={6}>
            {t('usage.of', { used, limit })}
          </Text>
          <Progress
            value={Math.min(100, (used / limit) * 100)}
            color={used >= limit ? 'red' : 'accent'}
            aria-label={`${label}: ${t('usage.of', { used, limit })}`}
          />
          <Text size="xs" c="dimmed" mt={6}>
            {t('usage.resets')} <Moment at={resets_at} />
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

const MAX_ITEMS = 10;

function ByItem({ items }: { items: UsageReport['tools'] }) {
  const { t, i18n } = useTranslation();
  return (
    <section aria-labelledby="items">
      <Title order={2} id="items" mb="sm">
        {t('usage.by_item')}
      </Title>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('usage.by_item_none')}
        </Text>
      ) : (
        <ul className="card list steps">
          {items.slice(0, MAX_ITEMS).map(({ id, name, calls }) => (
            <li key={id} className="list-row">
              <Group justify="space-between">
                <Text size="sm">
                  <bdi>{name}</bdi>
                </Text>
                <Text size="sm" fw={600} className="number">
                  {calls.toLocaleString(i18n.resolvedLanguage)}
                </Text>
              </Group>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
