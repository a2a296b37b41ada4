import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Family, FieldValues, Listed } from './family.ts';
import { deleteItem, itemQuery, usesQuery } from './items.ts';
import { Needs } from './needs.tsx';
import { useSpace } from './space.ts';
import { UseList } from './uses.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Loading } from '../parts/loading.tsx';

/** Deletes an item after its name was typed; the dialog says what stops working. */
export function DeleteItem<Item extends Listed, Values extends FieldValues>({
  family,
  item,
  onDeleted,
}: {
  family: Family<Item, Values>;
  item: Item;
  onDeleted(): void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const space = useSpace();
  const shelf = { space, path: family.path };
  const [isOpen, dialog] = useDisclosure(false);
  const name = family.nameOf(item);
  const remove = useMutation({
    mutationFn: () => deleteItem(shelf, item),
    async onSuccess() {
      notifications.show({ message: t('content.deleted', { name }) });
      onDeleted();
      queries.removeQueries({ queryKey: itemQuery(shelf, item.id).queryKey });
      await queries.invalidateQueries();
    },
    // The item may have been changed meanwhile: the next attempt means what is then shown.
    onError: () => queries.invalidateQueries({ queryKey: itemQuery(shelf, item.id).queryKey }),
  });
  const lacking = space.lacks('delete', family.place);
  if (lacking !== null) return <Needs permission={lacking} />;
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('content.delete')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('content.delete_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t(`content.${family.place}.delete`)}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('content.delete_body')}</Text>
          <StopsWorking path={family.path} id={item.id} />
        </ConfirmDialog>
      )}
    </>
  );
}

function StopsWorking({ path, id }: { path: string; id: string }) {
  const { t } = useTranslation();
  const uses = useQuery(usesQuery({ space: useSpace(), path }, id));
  if (uses.isError) return <ErrorAlert error={uses.error} onRetry={() => void uses.refetch()} />;
  if (uses.data === undefined) return <Loading height={60} />;
  const { keys, teams, agents } = uses.data.counts;
  if (keys + teams + agents === 0) return <Text size="sm">{t('content.not_used')}</Text>;
  return (
    <div>
      <Text size="sm" fw={600}>
        {t('content.stops_working')}
      </Text>
      <UseList uses={uses.data} />
    </div>
  );
}
