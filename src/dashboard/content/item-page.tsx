import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DeleteItem } from './delete-item.tsx';
import type { Family, FieldValues, Listed } from './family.ts';
import { ItemForm } from './item-form.tsx';
import { ITEM_TABS } from './item-tabs.ts';
import type { ItemTab } from './item-tabs.ts';
import { itemQuery } from './items.ts';
import { PromoteItem } from './promote-item.tsx';
import { addressOf, useSpace } from './space.ts';
import { Uses } from './uses.tsx';
import { Versions } from './versions.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/loading.tsx';
import { TryLink } from '../try/try-link.tsx';

/** One item: its editor, its history and what uses it. */
export function ItemPage<Item extends Listed, Values extends FieldValues>({
  family,
}: {
  family: Family<Item, Values>;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  const { itemId = '' } = useParams({ strict: false });
  const item = useQuery(itemQuery<Item>({ space, path: family.path }, itemId));
  if (item.data !== undefined)
    return <Loaded key={item.data.id} family={family} item={item.data} />;
  return (
    <Page title={t(`content.${family.place}.title`)}>
      {item.isError ? (
        <ErrorAlert error={item.error} onRetry={() => void item.refetch()} />
      ) : (
        <Loading height={240} />
      )}
    </Page>
  );
}

function Loaded<Item extends Listed, Values extends FieldValues>({
  family,
  item,
}: {
  family: Family<Item, Values>;
  item: Item;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  const navigate = useNavigate();
  const { tab = 'edit' } = useSearch({ strict: false });
  const { catalog } = space;
  const { organizationId } = useParams({ strict: false });
  const { Notice, Start } = family;
  const tabs = ITEM_TABS.filter((one) => one !== 'start' || Start !== undefined);
  return (
    <Page
      title={family.nameOf(item)}
      parents={[{ to: addressOf(space, family.place), label: t(`content.${family.place}.title`) }]}
      about={
        <>
          {t('content.version', { version: item.version })}
          {', '}
          <Moment at={item.updated_at} />
          {item.qualified_name !== undefined && (
            <>
              {' · '}
              {t('content.mcp_name')} <bdi>{item.qualified_name}</bdi>
            </>
          )}
        </>
      }
      actions={
        <>
          {family.place === 'tools' && (
            <TryLink
              item={item.qualified_name ?? family.nameOf(item)}
              organization={organizationId}
            />
          )}
          {catalog !== null && (
            <PromoteItem
              family={family}
              item={item}
              onMoved={() =>
                void navigate({
                  to: addressOf({ pages: catalog }, family.place, item.id),
                  ignoreBlocker: true,
                })
              }
            />
          )}
          <DeleteItem
            family={family}
            item={item}
            onDeleted={() =>
              void navigate({ to: addressOf(space, family.place), ignoreBlocker: true })
            }
          />
        </>
      }
    >
      <Stack gap="md">
        {Notice !== undefined && <Notice item={item} />}
        <Tabs
          value={tab}
          // What is typed stays while another tab is looked at.
          keepMounted
          onChange={(next) =>
            void navigate({
              to: '.',
              search: (all) => ({ ...all, tab: next === 'edit' ? undefined : (next as ItemTab) }),
              replace: true,
            })
          }
        >
          <Tabs.List mb="lg">
            {tabs.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {t(`content.tab_${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="edit">
            <ItemForm family={family} item={item} onSaved={() => {}} />
          </Tabs.Panel>
          {Start !== undefined && (
            <Tabs.Panel value="start">{tab === 'start' && <Start item={item} />}</Tabs.Panel>
          )}
          <Tabs.Panel value="versions">
            {tab === 'versions' && <Versions family={family} item={item} />}
          </Tabs.Panel>
          <Tabs.Panel value="uses">
            {tab === 'uses' && <Uses path={family.path} id={item.id} />}
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
}
