import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import filters from '../../parts/filters.module.css';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import type { PowerChoice } from '../access-search.ts';
import { holdersQuery } from '../access.ts';
import type { Power } from '../access.ts';
import { AboutField } from '../about-field.tsx';
import { ItemField } from '../item-field.tsx';
import { PermissionField } from '../permission-field.tsx';
import { isInTeams } from '../power-words.ts';
import { AuthorizableClients } from './authorizable-clients.tsx';
import { HolderList } from './holder-list.tsx';
import { useItemOptions } from './item-options.ts';

const route = getRouteApi('/app/org/$organizationId/access/who');

/** Who holds a permission, or can use an item; the address names it. */
export function WhoPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = useNavigate();
  const isItem = search.about === 'item';
  const show = (choice: PowerChoice) => void navigate({ to: '.', search: () => ({ ...choice }) });
  const power = powerOf(search);
  return (
    <Page title={t('access.who_title')} about={t('access.who_about')}>
      <Stack gap="lg">
        <AboutField isItem={isItem} onChange={(about) => show(about === 'item' ? { about } : {})} />
        {isItem ? (
          <ItemChoice search={search} onChange={show} />
        ) : (
          <PermissionField
            value={search.permission ?? null}
            onChange={(permission) => show({ permission })}
          />
        )}
        {power === null ? (
          <Text c="dimmed">{t(isItem ? 'access.choose_item' : 'access.choose_permission')}</Text>
        ) : (
          <Holders key={JSON.stringify(power)} power={power} search={search} />
        )}
      </Stack>
    </Page>
  );
}

function powerOf({ about, permission, family = 'tools', item }: PowerChoice): Power | null {
  if (about === 'item') return item === undefined ? null : { item: { family, id: item } };
  return permission === undefined ? null : { permission };
}

function ItemChoice({
  search: { family = 'tools', item },
  onChange,
}: {
  search: PowerChoice;
  onChange(choice: PowerChoice): void;
}) {
  const options = useItemOptions(family);
  return (
    <div className={filters.filters}>
      <ItemField
        family={family}
        item={item}
        options={options}
        onChange={(choice) => onChange({ about: 'item', ...choice })}
      />
    </div>
  );
}

function Holders({ power, search }: { power: Power; search: PowerChoice }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const list = useInfiniteQuery(holdersQuery(id, power));
  const { fetchNextPage, hasNextPage, isFetching } = list;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetching]);
  const holders = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Stack gap="sm">
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading height={240} />}
      {list.isSuccess && (
        <Text fw={600} role="status">
          {hasNextPage
            ? t('org.more_than', { count: holders.length })
            : t(holders.length === 0 ? 'access.nobody' : 'access.holders', {
                count: holders.length,
              })}
        </Text>
      )}
      {'permission' in power && (
        <Text size="sm" c="dimmed">
          <bdi className="mono">{power.permission}</bdi>
          {isInTeams(power.permission) && ` · ${t('access.in_teams')}`}
        </Text>
      )}
      {holders.length > 0 && (
        <HolderList holders={holders} power={search} isWhole={!hasNextPage} onMore={onMore} />
      )}
      <AuthorizableClients clients={list.data?.pages[0]?.authorizable_clients ?? []} />
    </Stack>
  );
}
