import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Passkey } from '../../accounts/passkeys/schema.ts';
import { hasPasskeySupport, passkeysQuery } from '../api/passkeys.ts';
import { serviceQuery } from '../api/service.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { deviceName } from './device-name.ts';
import { RenamePasskey } from './rename-passkey.tsx';
import { Section } from './section.tsx';
import { addPasskey, removePasskey } from './sign-in-methods.ts';
import type { FirstCodes } from './sign-in-methods.ts';
import { Loading } from '../parts/loading.tsx';

/** Passkeys, each of which signs in without the password. */
export function Passkeys({ onAdded }: { onAdded(codes: FirstCodes): Promise<void> }) {
  const { t } = useTranslation();
  const { data: service } = useQuery(serviceQuery);
  const passkeys = useQuery(passkeysQuery);
  const isPossible = service?.passkeys !== false && hasPasskeySupport();
  return (
    <Section title={t('security.passkeys')} body={t('security.passkeys_body')}>
      {passkeys.isError && (
        <ErrorAlert error={passkeys.error} onRetry={() => void passkeys.refetch()} />
      )}
      {passkeys.isPending && <Loading height={60} />}
      {passkeys.data?.length === 0 && <Text size="sm">{t('security.no_passkeys')}</Text>}
      {passkeys.data !== undefined && passkeys.data.length > 0 && (
        <ul className="card list rows">
          {passkeys.data.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {isPossible ? (
        <AddPasskey onAdded={onAdded} />
      ) : (
        <Text size="sm" c="dimmed">
          {t(service?.passkeys === false ? 'security.passkeys_host' : 'security.passkeys_browser')}
        </Text>
      )}
    </Section>
  );
}

function AddPasskey({ onAdded }: { onAdded(codes: FirstCodes): Promise<void> }) {
  const { t } = useTranslation();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: deviceName(navigator.userAgent) ?? '' },
    async send({ name }) {
      const { recovery_codes = null } = await addPasskey(name);
      await onAdded(recovery_codes);
    },
    onSuccess: () => void notifications.show({ message: t('security.passkey_added') }),
  });
  return (
    <form onSubmit={submit}>
      <Stack maw="32rem" gap="sm">
        {error !== null && <ErrorAlert error={error} />}
        <Group align="end" gap="xs">
          <TextInput
            label={t('security.passkey_name')}
            required
            maxLength={64}
            autoComplete="off"
            flex="1 1 12rem"
            {...form.getInputProps('name')}
          />
          <Button type="submit" variant="default" loading={isPending}>
            {t('security.passkey_add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<'rename' | 'remove' | null>(null);
  const close = () => setDialog(null);
  const { name, created_at, last_used_at } = passkey;
  return (
    <li className="list-row">
      <Group justify="space-between" gap="sm">
        <div className="section-text">
          <Text fw={600}>
            <bdi>{name}</bdi>
          </Text>
          <Text size="sm" c="dimmed">
            {t('security.added')} <Moment at={created_at} />
            {' · '}
            {last_used_at === null ? (
              t('security.never_used')
            ) : (
              <>
                {t('security.used')} <Moment at={last_used_at} />
              </>
            )}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-label={t('security.rename_one', { name })}
            onClick={() => setDialog('rename')}
          >
            {t('security.rename')}
          </Button>
          <Button
            size="xs"
            color="red"
            variant="light"
            aria-label={t('security.remove_one', { name })}
            onClick={() => setDialog('remove')}
          >
            {t('security.remove')}
          </Button>
        </Group>
      </Group>
      {dialog === 'rename' && <RenamePasskey passkey={passkey} onClose={close} />}
      {dialog === 'remove' && <RemovePasskey passkey={passkey} onClose={close} />}
    </li>
  );
}

function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, name } = passkey;
  const remove = useMutation({
    mutationFn: () => removePasskey(id),
    async onSuccess() {
      onClose();
      notifications.show({ message: t('security.removed', { name }) });
      await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      title={t('security.remove_title', { name })}
      name={name}
      typeLabel={t('security.type', { name })}
      action={t('security.passkey_remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{t('security.passkey_remove_body')}</Text>
    </ConfirmDialog>
  );
}
