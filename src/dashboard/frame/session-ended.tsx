import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../accounts/schema.ts';
import { request } from '../api/request.ts';
import { profileQuery } from '../api/session.ts';
import { sessionEnd } from '../api/session-end.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

/** Above every other dialog, the one that asks for the password too. */
const LAYER = 400;

/**
 * A dialog over the page once its session has ended, so that nothing typed is lost. Signs in as the
 * same account only.
 */
export function SessionEnded() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const hasEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.current);
  const account = queries.getQueryData(profileQuery.queryKey);
  const form = useForm({ initialValues: { password: '' } });
  const [isOther, setOther] = useState(false);
  const signIn = useMutation({
    mutationFn: ({ password }: { password: string }) =>
      request<{ user?: Account; second_factor?: object }>('/api/auth/login', {
        body: { email: account?.email, password },
      }),
    async onSuccess({ user, second_factor }) {
      if (second_factor !== undefined) return location.assign('/sign-in/second-factor');
      setOther(user?.id !== account?.id);
      if (user?.id !== account?.id) return;
      form.reset();
      sessionEnd.restored();
      await queries.invalidateQueries();
    },
  });
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
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        <Stack>
          <Text>{t('errors.session_ended_body')}</Text>
          {signIn.isError && <ErrorAlert error={signIn.error} />}
          {isOther && (
            <Text role="alert">{t('errors.other_account', { email: account?.email ?? '' })}</Text>
          )}
          <input type="hidden" autoComplete="username" value={account?.email ?? ''} readOnly />
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
          <Button component="a" href="/sign-in" variant="subtle">
            {t('sign_in.title')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
