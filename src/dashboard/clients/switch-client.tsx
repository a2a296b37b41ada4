import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { clientPath, updateClient } from './clients.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

/** Switches a client on or off. Switching it off revokes its connections, so its name is typed. */
export function SwitchClient({
  client: { id, name, disabled, connections },
}: {
  client: ClientRecord;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const owner = useOwner();
  const [isOpen, dialog] = useDisclosure(false);
  const change = useMutation({
    mutationFn: () => updateClient(clientPath(owner, `/${id}`), { disabled: !disabled }),
    async onSuccess() {
      dialog.close();
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button
        variant="default"
        loading={change.isPending}
        onClick={() => (disabled ? change.mutate() : dialog.open())}
      >
        {t(disabled ? 'client.enable' : 'client.disable')}
      </Button>
      {change.isError && !isOpen && <ErrorAlert error={change.error} />}
      {isOpen && (
        <ConfirmDialog
          title={t('client.disable_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('client.disable')}
          isPending={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('client.disable_body', { count: connections })}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
