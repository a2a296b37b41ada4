import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { revokeKey } from './keys.ts';
import type { Key } from './keys.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { relativeTime } from '../parts/moment.tsx';

/** Revokes a key after its name was typed. */
export function RevokeKey({ record, onRevoked }: { record: Key; onRevoked(): void }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const { id, name, last_used_at } = record;
  const revoke = useMutation({
    mutationFn: () => revokeKey(id),
    async onSuccess() {
      notifications.show({ message: t('key.revoked', { name }) });
      onRevoked();
      queries.removeQueries({ queryKey: ['keys', id] });
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('key.revoke')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('key.revoke_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('key.revoke_action')}
          isPending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('key.revoke_body')}</Text>
          {last_used_at !== null && (
            <Text size="sm" fw={600}>
              {t('key.revoke_recent', {
                when: relativeTime(last_used_at, i18n.resolvedLanguage ?? 'en'),
              })}
            </Text>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
