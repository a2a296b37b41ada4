import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Passkey } from '../../accounts/passkeys/schema.ts';
import { passkeysQuery } from '../api/passkeys.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { renamePasskey } from './sign-in-methods.ts';

/** Gives a passkey another name. */
export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: passkey.name },
    send: ({ name }) => renamePasskey(passkey.id, name),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('security.rename_one', { name: passkey.name })}>
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <ErrorAlert error={error} />}
          <TextInput
            label={t('form.name')}
            required
            maxLength={64}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t('form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
