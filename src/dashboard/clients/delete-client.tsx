import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { clientPath, clientQuery, deleteClient } from './clients.ts';
import { useOwner } from '../organizations/use-owner.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';

/** Deletes a client after its name was typed; its connections end. */
export function DeleteClient({ client: { id, name, connections } }: { client: ClientRecord }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const owner = useOwner();
  const path = clientPath(owner, `/${id}`);
  const [isOpen, dialog] = useDisclosure(false);
  const remove = useMutation({
    mutationFn: () => deleteClient(path),
    async onSuccess() {
      notifications.show({ message: t('client.deleted', { name }) });
      await navigate({ to: `${owner.pages}/clients` });
      queries.removeQueries({ queryKey: clientQuery(path).queryKey });
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('client.delete')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('client.delete_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('client.delete_action')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('client.delete_body', { count: connections })}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
