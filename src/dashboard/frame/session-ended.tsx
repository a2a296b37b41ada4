import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconExternalLink } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../accounts/schema.ts';
import { request, RequestError } from '../api/request.ts';
import { profileQuery, secondFactorPage, signInWithPassword } from '../api/session.ts';
import { sessionEnd } from '../api/session-end.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

/** Above every other dialog, the one that asks for the password too. */
const LAYER = 400;

/**
 * A dialog over the page once its session has ended, so that nothing typed is lost. Continues as the
 * same account only.
 */
export function SessionEnded() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const hasEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.current);
  const account = queries.getQueryData(profileQuery.queryKey);
  return (
    <Modal
      opened={hasEnded && account !== undefined}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('errors.session_ended')}
      zIndex={LAYER}
    >
      {account !== undefined && <SignInAgain account={account} />}
    </Modal>
  );
}

class OtherAccount extends Error {}
class NotSignedIn extends Error {}

/** With the password, or in another tab: by a provider, with a passkey or a second factor. */
function SignInAgain({ account }: { account: Account }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { password: '' } });
  async function continueAs(user: Account) {
    if (user.id !== account.id) throw new OtherAccount();
    sessionEnd.restored();
    await queries.invalidateQueries();
  }
  const signIn = useMutation({
    async mutationFn({ password }: { password: string }) {
      const signedIn = await signInWithPassword({ email: account.email ?? '', password });
      if (signedIn.second_factor !== undefined) return secondFactorPage(signedIn, '/app');
      await continueAs(signedIn.user);
      return null;
    },
  });
  const check = useMutation({
    async mutationFn() {
      const user = await request<Account>('/api/user/profile', {
        isForAnyone: true,
      }).catch((error: unknown) => {
        const isSignedOut = error instanceof RequestError && error.status === 401;
        throw isSignedOut ? new NotSignedIn() : error;
      });
      await continueAs(user);
    },
  });
  const factorPage = signIn.data ?? null;
  const error = check.error ?? signIn.error;
  return (
    <form
      onSubmit={form.onSubmit((values) => {
        check.reset();
        signIn.mutate(values);
      })}
    >
      <Stack>
        <Text role="status">
          {t(factorPage === null ? 'errors.session_ended_body' : 'errors.second_factor')}
        </Text>
        {error !== null && <Failure error={error} email={account.email ?? ''} />}
        {factorPage === null && (
          <>
            <input type="hidden" autoComplete="username" value={account.email ?? ''} readOnly />
            <PasswordInput
              label={t('form.password')}
              autoComplete="current-password"
              required
              data-autofocus
              {...form.getInputProps('password')}
            />
            <Button type="submit" loading={signIn.isPending}>
              {t('sign_in.action')}
            </Button>
          </>
        )}
        <Button
          component="a"
          variant="default"
          href={factorPage ?? '/sign-in'}
          target="_blank"
          rel="noreferrer"
          leftSection={<IconExternalLink size={18} aria-hidden />}
        >
          {t('reauthentication.new_tab')}
        </Button>
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          {t('reauthentication.continue')}
        </Button>
      </Stack>
    </form>
  );
}

function Failure({ error, email }: { error: Error; email: string }) {
  const { t } = useTranslation();
  if (error instanceof OtherAccount)
    return <Text role="alert">{t('errors.other_account', { email })}</Text>;
  if (error instanceof NotSignedIn) return <Text role="alert">{t('errors.not_signed_in')}</Text>;
  return <ErrorAlert error={error} />;
}
