import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import type { ActorKind as ActorKindSchema } from '../../audit/schema.ts';
import type { VersionRecord } from '../../content/items/schema.ts';
import { Differences } from './differences.tsx';
import type { Family, FieldValues, Listed } from './family.ts';
import { itemQuery, restoreItem, versionQuery, versionsQuery } from './items.ts';
import { Needs } from './needs.tsx';
import { useSpace } from './space.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Loading } from '../parts/loading.tsx';

type ActorKind = z.infer<typeof ActorKindSchema>;

interface VersionsProps<Item extends Listed, Values extends FieldValues> {
  family: Family<Item, Values>;
  item: Item;
}

/** The history of an item, newest first: each version can be compared with the active one. */
export function Versions<Item extends Listed, Values extends FieldValues>({
  family,
  item,
}: VersionsProps<Item, Values>) {
  const { t } = useTranslation();
  const versions = useQuery(versionsQuery({ space: useSpace(), path: family.path }, item.id));
  const [opened, setOpened] = useState<number | null>(null);
  if (versions.isError)
    return <ErrorAlert error={versions.error} onRetry={() => void versions.refetch()} />;
  if (versions.data === undefined) return <Loading height={160} />;
  return (
    <ol className="card list versions" reversed>
      {versions.data.data.map((one) => {
        const { version } = one;
        const isOpen = opened === version;
        return (
          <li key={version} className="list-row">
            <Group justify="space-between" gap="sm">
              <VersionName record={one} isActive={version === item.version} />
              {version !== item.version && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-expanded={isOpen}
                  aria-label={t('content.compare_version', { version })}
                  onClick={() => setOpened(isOpen ? null : version)}
                >
                  {t('content.compare')}
                </Button>
              )}
            </Group>
            {isOpen && version !== item.version && (
              <Comparison family={family} item={item} version={version} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

function VersionName({ record, isActive }: { record: VersionRecord; isActive: boolean }) {
  const { t } = useTranslation();
  const { version, name, created_at, actor } = record;
  return (
    <div>
      <Text fw={600}>
        {t('content.version', { version })}{' '}
        {isActive && (
          <Badge size="sm" variant="light" tt="none">
            {t('content.active')}
          </Badge>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        <bdi>{name}</bdi>
        {' · '}
        {t(`content.by_${actor.kind as ActorKind}`)}
        {' · '}
        <Moment at={created_at} />
      </Text>
    </div>
  );
}

function Comparison<Item extends Listed, Values extends FieldValues>({
  family,
  item,
  version,
}: VersionsProps<Item, Values> & { version: number }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const space = useSpace();
  const lacking = space.lacks('update', family.place);
  const shelf = { space, path: family.path };
  const earlier = useQuery(versionQuery<Item>(shelf, item.id, version));
  const restore = useMutation({
    mutationFn: () => restoreItem<Item>(shelf, item, version),
    async onSuccess(saved) {
      notifications.show({ message: t('content.restored', { version }) });
      queries.setQueryData(itemQuery<Item>(shelf, item.id).queryKey, saved);
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
    // Somebody has changed the item: what it is compared with is read again.
    onError: () => queries.invalidateQueries({ queryKey: itemQuery(shelf, item.id).queryKey }),
  });
  if (earlier.isError)
    return <ErrorAlert error={earlier.error} onRetry={() => void earlier.refetch()} />;
  if (earlier.data === undefined) return <Loading height={80} />;
  return (
    <Stack mt="md" gap="md" align="stretch">
      <Differences
        left={family.valuesOf(earlier.data)}
        right={family.valuesOf(item)}
        leftTitle={t('content.version', { version })}
        rightTitle={t('content.active_version', { version: item.version })}
      />
      {restore.isError && <ErrorAlert error={restore.error} />}
      {lacking !== null ? (
        <Needs permission={lacking} />
      ) : (
        <Group>
          <Button
            size="xs"
            variant="light"
            loading={restore.isPending}
            onClick={() => restore.mutate()}
          >
            {t('content.restore', { version })}
          </Button>
          <Text size="sm" c="dimmed">
            {t('content.restore_hint', { version: item.version + 1 })}
          </Text>
        </Group>
      )}
    </Stack>
  );
}
