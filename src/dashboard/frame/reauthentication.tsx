import { Alert, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { IconExternalLink, IconFingerprint } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../accounts/schema.ts';
import { hasPasskeySupport, passkeysQuery, signInWithPasskey } from '../api/passkeys.ts';
import { isReauthenticationRequired, reauthentication } from '../api/reauthentication.ts';
import type { WaitingRequest } from '../api/reauthentication.ts';
import { request } from '../api/request.ts';
import { profileQuery } from '../api/session.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

/** Above the dialog whose request waits. */
const LAYER = 300;

/** The dialog of `withReauthentication`, over the page or over another dialog. */
export function Reauthentication() {
  const { t } = useTranslation();
  const waiting = useSyncExternalStore(reauthentication.subscribe, reauthentication.current);
  useEffect(() => {
    // The library would close the dialog below too.
    function closeThisOnly(event: KeyboardEvent) {
      const current = reauthentication.current();
      if (event.key !== 'Escape' || current === null) return;
      event.stopImmediatePropagation();
      current.cancel();
    }
    addEventListener('keydown', closeThisOnly, { capture: true });
    return () => removeEventListener('keydown', closeThisOnly, { capture: true });
  }, []);
  return (
    <Modal
      opened={waiting !== null}
      onClose={() => waiting?.cancel()}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('reauthentication.title')}
      zIndex={LAYER}
    >
      {waiting?.takesPassword === true && <WithPassword waiting={waiting} />}
      {waiting?.takesPassword === false && <WithSignIn waiting={waiting} />}
    </Modal>
  );
}

function WithPassword({ waiting }: { waiting: WaitingRequest }) {
  const { t } = useTranslation();
  const { data: account } = useQuery(profileQuery);
  const [password, setPassword] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const repeat = useMutation({
    mutationFn: () => waiting.repeat({ current_password: password }),
    onError: () => input.current?.select(),
  });
  const isWrong = isReauthenticationRequired(repeat.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        repeat.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{t('reauthentication.password_body')}</Text>
        {repeat.isError && !isWrong && <ErrorAlert error={repeat.error} />}
        <input
          type="hidden"
          name="username"
          autoComplete="username"
          value={account?.email ?? ''}
          readOnly
        />
        <PasswordInput
          ref={input}
          label={t('reauthentication.password')}
          name="current-password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          aria-invalid={isWrong}
          error={isWrong ? t('reauthentication.wrong') : null}
          data-autofocus
        />
        <Actions waiting={waiting} isPending={repeat.isPending} />
      </Stack>
    </form>
  );
}

/** For an account without a password, which proves itself by a sign-in of the last ten minutes. */
function WithSignIn({ waiting }: { waiting: WaitingRequest }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const passkeys = useQuery(passkeysQuery);
  const account = queries.getQueryData(profileQuery.queryKey);
  /** Another account may have signed in meanwhile; the request must not be sent for it. */
  async function repeatAs(user: Account) {
    if (user.id !== account?.id) throw new OtherAccount();
    await waiting.repeat({});
  }
  const repeat = useMutation({
    mutationFn: async () =>
      repeatAs(await request<Account>('/api/user/profile', { isForAnyone: true })),
  });
  const passkey = useMutation({ mutationFn: async () => repeatAs(await signInWithPasskey()) });
  const error = passkey.error ?? repeat.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        passkey.reset();
        repeat.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{t('reauthentication.sign_in_body')}</Text>
        {error !== null && <SignInFailure error={error} email={account?.email ?? ''} />}
        {hasPasskeySupport() && (passkeys.data ?? []).length > 0 && (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={18} aria-hidden />}
            loading={passkey.isPending}
            onClick={() => passkey.mutate()}
          >
            {t('reauthentication.passkey')}
          </Button>
        )}
        <Button
          component="a"
          variant="default"
          href="/sign-in"
          target="_blank"
          rel="noreferrer"
          leftSection={<IconExternalLink size={18} aria-hidden />}
        >
          {t('reauthentication.new_tab')}
        </Button>
        <Actions waiting={waiting} isPending={repeat.isPending} />
      </Stack>
    </form>
  );
}

class OtherAccount extends Error {}

function SignInFailure({ error, email }: { error: Error; email: string }) {
  const { t } = useTranslation();
  if (error instanceof OtherAccount)
    return (
      <Alert role="alert" color="red">
        {t('errors.other_account', { email })}
      </Alert>
    );
  if (isReauthenticationRequired(error))
    return (
      <Alert role="alert" color="red">
        {t('reauthentication.not_yet')}
      </Alert>
    );
  return <ErrorAlert error={error} />;
}

function Actions({ waiting, isPending }: { waiting: WaitingRequest; isPending: boolean }) {
  const { t } = useTranslation();
  return (
    <Group justify="end">
      <Button variant="default" onClick={waiting.cancel}>
        {t('form.cancel')}
      </Button>
      <Button type="submit" loading={isPending}>
        {t('reauthentication.continue')}
      </Button>
    </Group>
  );
}
