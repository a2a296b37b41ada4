import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { request } from '../api/request.ts';
import { keyQuery } from './keys.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { relativeTime } from '../parts/moment.tsx';

/**
 * Revokes a key of a person or an organization; if it was ever used, after its name was typed. `path` is the key's, and
 * `onRevoked` leaves pages that would read it again.
 */
export function RevokeKey({
  record,
  path,
  onRevoked,
}: {
  record: { name: string; last_used_at: string | null };
  path: string;
  onRevoked(): void | Promise<void>;
}) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const { name } = record;
  // It may have been used since the page was opened.
  const latest = useQuery({ ...keyQuery(path), enabled: isOpen, staleTime: 0 });
  const { last_used_at } = latest.data ?? record;
  const revoke = useMutation({
    mutationFn: () => request<void>(path, { method: 'DELETE' }),
    async onSuccess() {
      notifications.show({ message: t('key.revoked', { name }) });
      await onRevoked();
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
          typeLabel={last_used_at === null ? null : t('key.revoke_type', { name })}
          action={t('key.revoke_action')}
          isPending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('key.revoke_body')}</Text>
          {last_used_at === null ? (
            <Text size="sm">{t('key.revoke_unused')}</Text>
          ) : (
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
