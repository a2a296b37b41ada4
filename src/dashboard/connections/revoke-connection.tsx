import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../oauth/connections/schema.ts';
import { connectionPath, revokeConnection } from './connections.ts';
import { useOwner } from '../organizations/use-owner.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { relativeTime } from '../parts/moment.tsx';

/** Revokes a connection after the name of its application was typed. */
export function RevokeConnection({ connection }: { connection: ConnectionRecord }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const owner = useOwner();
  const [isOpen, dialog] = useDisclosure(false);
  const { id, client, last_used_at } = connection;
  const { name } = client;
  const revoke = useMutation({
    mutationFn: () => revokeConnection(connectionPath(owner, `/${id}`)),
    async onSuccess() {
      notifications.show({ message: t('connection.revoked', { name }) });
      await navigate({ to: `${owner.pages}/connections` });
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
          title={t('connection.revoke_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('connection.revoke_action')}
          isPending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('connection.revoke_body')}</Text>
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
