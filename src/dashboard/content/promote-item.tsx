import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Family, FieldValues, Listed } from './family.ts';
import { promoteItem } from './items.ts';
import { useSpace } from './space.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

/** Moves an item of a team into the catalog of its organization. */
export function PromoteItem<Item extends Listed, Values extends FieldValues>({
  family,
  item,
  onMoved,
}: {
  family: Family<Item, Values>;
  item: Item;
  onMoved(): void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const space = useSpace();
  const [isOpen, dialog] = useDisclosure(false);
  const name = family.nameOf(item);
  const promote = useMutation({
    mutationFn: () => promoteItem({ space, path: family.path }, item),
    async onSuccess() {
      notifications.show({ message: t('content.promoted', { name }) });
      onMoved();
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
  });
  if (space.lacks('promote', family.place) !== null) return null;
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {t('content.promote')}
      </Button>
      {isOpen && (
        <Modal opened onClose={dialog.close} title={t('content.promote_title', { name })}>
          <Stack>
            <Text size="sm">{t('content.promote_body')}</Text>
            {promote.isError && <ErrorAlert error={promote.error} />}
            <Group justify="end">
              <Button variant="default" onClick={dialog.close}>
                {t('form.cancel')}
              </Button>
              <Button loading={promote.isPending} onClick={() => promote.mutate()} data-autofocus>
                {t('content.promote')}
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  );
}
