import { Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UsageReport } from '../../usage/schema.ts';
import { Calls } from './calls.tsx';
import { callFilterOf } from './call-filter.ts';
import { Days } from './days.tsx';
import { Shares } from './shares.tsx';
import { usageQuery } from './usage-query.ts';
import type { Usage } from './usage-query.ts';
import { foundKeysQuery } from '../keys/keys.ts';
import type { Key } from '../keys/key-values.ts';
import { NeedsPermission, Problem } from '../organizations/parts/problem.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { Loading } from '../parts/loading.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { shortId } from '../parts/short-id.ts';

/** How much of the limits is used, calls per day and item, and every call. */
export function UsagePage() {
  const { t } = useTranslation();
  const lacking = useOwner().lacks('view', 'usage');
  return (
    <Page title={t('usage.title')}>
      {lacking === null ? <Report /> : <NeedsPermission permission={lacking} />}
    </Page>
  );
}

function Report() {
  const { t } = useTranslation();
  const { organization, api, keys: keysPath, lacks } = useOwner();
  const filter = callFilterOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const usage = useQuery(usageQuery(api));
  const list = useInfiniteQuery({
    ...foundKeysQuery<Key>(keysPath, ''),
    enabled: lacks('view', 'api_keys') === null,
  });
  const keys = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Stack gap="xl">
      <section aria-labelledby="limits">
        <Title order={2} id="limits" mb={4}>
          {t('usage.limits')}
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          {t(organization === null ? 'usage.keys_share' : 'usage.keys_share_organization')}
        </Text>
        {usage.isError && <Problem error={usage.error} onRetry={() => void usage.refetch()} />}
        {usage.isPending && <Loading height={100} />}
        {usage.data !== undefined && <Limits report={usage.data} />}
      </section>
      <Days />
      {usage.data !== undefined && <Most usage={usage.data} keys={keys} />}
      <section aria-labelledby="calls">
        <Title order={2} id="calls" mb="sm">
          {t('usage.calls')}
        </Title>
        <Calls
          source={{
            path: `${api}/calls`,
            keyName: organization === null ? 'key_id' : 'credential_id',
          }}
          filter={filter}
          onFilter={(search) => void navigate({ to: '.', search: () => search })}
          keys={keys}
        />
      </section>
    </Stack>
  );
}

function Limits({ report: { windows, month } }: { report: UsageReport }) {
  const { t } = useTranslation();
  const limits = [
    ...windows.map(({ window, ...use }) => ({ ...use, label: t(`usage.window_${window}`) })),
    { ...month, label: t('usage.month') },
  ];
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
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

/** What was called most this month and, in an organization, by whom. */
function Most({
  usage: { tools, members, credentials },
  keys,
}: {
  usage: Usage;
  keys: readonly Key[];
}) {
  const { t } = useTranslation();
  return (
    <>
      <Shares id="items" title={t('usage.by_item')} shares={tools} />
      {members !== undefined && (
        <Shares
          id="members"
          title={t('usage.by_member')}
          shares={members.map(({ account_id, email, calls }) => ({
            id: account_id,
            name: email ?? t('connection.former_member'),
            calls,
          }))}
        />
      )}
      {credentials !== undefined && (
        <Shares
          id="credentials"
          title={t('usage.by_credential')}
          shares={credentials.map(({ kind, id, calls }) => ({
            id,
            name:
              keys.find((key) => key.id === id)?.name ??
              `${t(`change.kind_${kind}`)} ${shortId(id)}`,
            calls,
          }))}
        />
      )}
    </>
  );
}
