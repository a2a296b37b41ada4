import { Badge, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TotpSetUp } from '../../accounts/second-factor/schema.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { QrCode } from './qr/qr-code.tsx';
import { Section } from './section.tsx';
import {
  confirmAuthenticatorApp,
  removeAuthenticatorApp,
  startAuthenticatorApp,
} from './sign-in-methods.ts';
import type { FirstCodes } from './sign-in-methods.ts';

interface Added {
  onAdded(codes: FirstCodes): Promise<void>;
}

/** Codes of an authenticator app as the second factor. */
export function AuthenticatorApp({ isOn, onAdded }: { isOn: boolean } & Added) {
  const { t } = useTranslation();
  const [setUp, setSetUp] = useState<TotpSetUp | null>(null);
  // The secret stays out of the cache of requests.
  const start = useMutation({ mutationFn: async () => setSetUp(await startAuthenticatorApp()) });
  return (
    <Section
      title={t('security.app')}
      body={t('security.app_body')}
      actions={
        isOn ? (
          <Group gap="sm">
            <Badge variant="light" color="teal">
              {t('security.on')}
            </Badge>
            <RemoveApp />
          </Group>
        ) : (
          <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
            {t('security.app_set_up')}
          </Button>
        )
      }
    >
      {start.isError && <ErrorAlert error={start.error} />}
      {setUp !== null && <SetUp setUp={setUp} onAdded={onAdded} onClose={() => setSetUp(null)} />}
    </Section>
  );
}

/** Shows the secret, which takes effect once the app has shown its first code. */
function SetUp({ setUp, onAdded, onClose }: { setUp: TotpSetUp; onClose(): void } & Added) {
  const { t } = useTranslation();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { code: '' },
    async send({ code }) {
      const { recovery_codes } = await confirmAuthenticatorApp(code);
      onClose();
      await onAdded(recovery_codes);
    },
    onSuccess: () => void notifications.show({ message: t('security.app_on') }),
  });
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={false} title={t('security.app_set_up')}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{t('security.app_scan')}</Text>
          <QrCode text={setUp.otpauth_uri} label={t('security.app_qr')} />
          <Group align="end" wrap="nowrap" gap="xs">
            <TextInput
              label={t('security.app_secret')}
              value={setUp.secret}
              readOnly
              flex={1}
              dir="ltr"
              autoComplete="off"
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
            <CopyButton text={setUp.secret} />
          </Group>
          <Button component="a" variant="default" href={setUp.otpauth_uri} hiddenFrom="sm">
            {t('security.app_open')}
          </Button>
          {error !== null && <ErrorAlert error={error} />}
          <TextInput
            label={t('security.app_code')}
            name="one-time-code"
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            maxLength={64}
            data-autofocus
            {...form.getInputProps('code')}
          />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t('security.app_confirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function RemoveApp() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const name = t('security.app_name');
  const remove = useMutation({
    mutationFn: removeAuthenticatorApp,
    async onSuccess() {
      dialog.close();
      notifications.show({ message: t('security.app_removed') });
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('security.remove')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('security.app_remove_title')}
          name={name}
          typeLabel={t('security.type', { name })}
          action={t('security.app_remove')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('security.app_remove_body')}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
