import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Family, FieldValues, Listed } from './family.ts';
import { itemsQuery } from './items.ts';
import type { Sort } from './items.ts';
import { Needs } from './needs.tsx';
import { addressOf, useSpace } from './space.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { FilterField } from '../parts/filter-field.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Fact, Row } from '../parts/row.tsx';
import { Loading } from '../parts/loading.tsx';
import { MoreButton } from '../parts/more-button.tsx';

const TYPING_MS = 250;

/** The items of a family, searched and sorted as the address says. */
export function ItemsPage<Entry extends Listed, Item extends Entry, Values extends FieldValues>({
  family,
  nameOf,
  Facts,
  actions,
}: {
  family: Family<Item, Values>;
  nameOf(entry: Entry): string;
  /** Facts in the row of an item, the same number for each. */
  Facts(props: { entry: Entry }): ReactNode;
  actions?: ReactNode;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  const { q = '', sort = 'name' } = useSearch({ strict: false });
  const items = useInfiniteQuery(itemsQuery<Entry>({ space, path: family.path }, { q, sort }));
  const all = items.data?.pages.flatMap(({ data }) => data) ?? [];
  const { place } = family;
  return (
    <Page
      title={t(`content.${place}.title`)}
      about={t(`content.${place}.intro`)}
      actions={
        <>
          {actions}
          <NewItemLink place={place} />
        </>
      }
    >
      <Stack>
        <Filter q={q} sort={sort} />
        {items.isError && <ErrorAlert error={items.error} onRetry={() => void items.refetch()} />}
        {items.isPending && <Loading height={160} />}
        {items.isSuccess && all.length === 0 && <Empty place={place} q={q} />}
        {all.length > 0 && (
          <div className="card list">
            {all.map((entry) => (
              <Link
                key={entry.id}
                to={addressOf(space, place, entry.id)}
                className="list-row columns"
              >
                <ItemRow entry={entry} name={nameOf(entry)} facts={<Facts entry={entry} />} />
              </Link>
            ))}
          </div>
        )}
        <MoreButton list={items} />
      </Stack>
    </Page>
  );
}

function NewItemLink({ place }: { place: Family<Listed, FieldValues>['place'] }) {
  const { t } = useTranslation();
  const space = useSpace();
  const lacking = space.lacks('create', place);
  if (lacking !== null) return <Needs permission={lacking} />;
  return (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to={addressOf(space, place, 'new')} {...props} />}
    >
      {t(`content.${place}.new`)}
    </Button>
  );
}

function Filter({ q, sort }: { q: string; sort: Sort }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const search = useDebouncedCallback((text: string) => {
    const next = text.trim() === '' ? undefined : text;
    void navigate({ to: '.', search: (all) => ({ ...all, q: next }), replace: true });
  }, TYPING_MS);
  return (
    <Group gap="sm" wrap="nowrap" role="search">
      <FilterField
        aria-label={t('content.search')}
        placeholder={t('content.search')}
        value={typed}
        flex={1}
        maw={360}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          search(value);
        }}
      />
      <NativeSelect
        aria-label={t('content.sort')}
        value={sort}
        data={[
          { value: 'name', label: t('content.sort_name') },
          { value: '-created_at', label: t('content.sort_newest') },
        ]}
        onChange={({ currentTarget: { value } }) =>
          void navigate({
            to: '.',
            search: (all) => ({ ...all, sort: value === 'name' ? undefined : (value as Sort) }),
            replace: true,
          })
        }
      />
    </Group>
  );
}

function Empty({ place, q }: { place: Family<Listed, FieldValues>['place']; q: string }) {
  const { t } = useTranslation();
  return (
    <Text className="card empty" role="status">
      {q === '' ? t(`content.${place}.empty`) : t('content.no_match', { q })}
    </Text>
  );
}

function ItemRow({ entry, name, facts }: { entry: Listed; name: string; facts: ReactNode }) {
  const { t } = useTranslation();
  const about = entry.title ?? entry.description ?? undefined;
  return (
    <Row
      name={<bdi>{entry.qualified_name ?? name}</bdi>}
      about={about && <bdi>{about}</bdi>}
      end={<Moment at={entry.updated_at} />}
    >
      {facts}
      <Fact isNumber>{t('content.version', { version: entry.version })}</Fact>
    </Row>
  );
}
