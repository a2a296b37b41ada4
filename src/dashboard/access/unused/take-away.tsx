import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { KeyEdit } from '../../../keys/schema.ts';
import { FAMILIES } from '../../keys/item-lists.tsx';
import { editPreviewQuery, keyQuery, updateKey } from '../../keys/keys.ts';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { keysPath } from '../../organizations/use-owner.ts';
import { Loading } from '../../parts/loading.tsx';
import { listOf } from '../../texts/texts.ts';
import { lossesOf } from '../reviews/changes.tsx';
import { withoutUnused } from '../../../explorer/unused/without-unused.ts';
import type { UnusedAuthority } from './unused.ts';

/** Takes from a key what it has not used, once it was shown which items it loses by that. */
export function TakeAway({
  entry,
  isOwn,
  onClose,
}: {
  entry: UnusedAuthority;
  /** Whether it is the person's own key. */
  isOwn: boolean;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const path = `${keysPath(isOwn ? undefined : id)}/${entry.subject.id}`;
  const key = useQuery({ ...keyQuery(path), staleTime: 0 });
  return (
    <Modal
      opened
      size="lg"
      title={t('unused.title_of', { name: entry.subject.name })}
      onClose={onClose}
    >
      <Stack>
        <Text size="sm">{t('apply.loses', { names: lossesOf(entry, t) })}</Text>
        {key.isError && <Problem error={key.error} onRetry={() => void key.refetch()} />}
        {key.isPending && <Loading height={80} />}
        {key.data !== undefined && (
          <Edit path={path} edit={withoutUnused(key.data, id, entry)} onClose={onClose} />
        )}
      </Stack>
    </Modal>
  );
}

function Edit({ path, edit, onClose }: { path: string; edit: KeyEdit; onClose(): void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const preview = useQuery(editPreviewQuery(path, edit));
  const save = useMutation({
    mutationFn: () => updateKey(path, edit),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  const lost = preview.data?.lost;
  const counts = preview.data?.counts.lost;
  const names = FAMILIES.flatMap((family) => (lost?.[family] ?? []).map(({ name }) => name));
  const total = FAMILIES.reduce((sum, family) => sum + (counts?.[family] ?? 0), 0);
  return (
    <>
      {preview.isError && <Problem error={preview.error} onRetry={() => void preview.refetch()} />}
      {save.isError && <Problem error={save.error} />}
      {preview.isPending && <Loading height={48} />}
      {preview.data !== undefined && (
        <Text size="sm" role="status">
          {total === 0
            ? t('unused.no_items')
            : t('unused.items', { count: total, names: listOf(names.slice(0, NAMED)) })}
        </Text>
      )}
      {preview.data?.errors.map(({ code, message }) => (
        <Text key={code} size="sm" c="red" role="alert">
          {message}
        </Text>
      ))}
      <Group justify="end">
        <Button variant="default" onClick={onClose}>
          {t('form.cancel')}
        </Button>
        <Button
          loading={save.isPending}
          disabled={!preview.isSuccess || preview.data.errors.length > 0}
          onClick={() => save.mutate()}
        >
          {t('unused.take_away')}
        </Button>
      </Group>
    </>
  );
}

const NAMED = 12;
