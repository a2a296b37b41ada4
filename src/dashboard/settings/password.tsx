import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { profileQuery } from '../api/session.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { NewPassword } from '../parts/new-password.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { Section } from './section.tsx';
import { changePassword } from './sign-in-methods.ts';

/** Changes the password, or sets the first one of an account without. */
export function Password() {
  const { t } = useTranslation();
  const { data: account } = useQuery(profileQuery);
  const personal = [account?.email, account?.first_name, account?.last_name].flatMap(
    (text) => text ?? [],
  );
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
          <NewPassword
            label={t('security.new_password')}
            personal={personal}
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
