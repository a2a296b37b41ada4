import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { profileQuery } from '../api/session.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { Section } from './section.tsx';
import { changePassword } from './sign-in-methods.ts';

/** Changes the password, or sets the first one of an account without. */
export function Password() {
  const { t } = useTranslation();
  const { data: account } = useQuery(profileQuery);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { password: '' },
    send: ({ password }) => changePassword(password),
    onSuccess() {
      form.reset();
      notifications.show({ message: t('security.password_changed') });
    },
  });
  return (
    <Section title={t('form.password')} body={t('security.password_body')}>
      <form onSubmit={submit}>
        <Stack maw="32rem">
          {error !== null && <ErrorAlert error={error} />}
          <input
            type="hidden"
            name="username"
            autoComplete="username"
            value={account?.email ?? ''}
            readOnly
          />
          <PasswordInput
            label={t('security.new_password')}
            description={t('sign_up.password_rule')}
            name="new-password"
            autoComplete="new-password"
            required
            {...form.getInputProps('password')}
          />
          <Group>
            <Button type="submit" variant="default" loading={isPending}>
              {t('security.change_password')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
