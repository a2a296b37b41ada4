import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../accounts/schema.ts';
import { withReauthentication } from '../api/reauthentication.ts';
import { request } from '../api/request.ts';
import { profileQuery } from '../api/session.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { Section } from './section.tsx';

const CHECK_MS = 5_000;
/** The address of the account; a new one is valid once its link has been opened. */
export function EmailChange({ account }: { account: Account }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { pending_email: pending } = account;
  useQuery({ ...profileQuery, refetchInterval: pending === null ? false : CHECK_MS });
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '' },
    async send({ email }) {
      await withReauthentication((proof) =>
        request('/api/user/email', { body: { email, ...proof } }),
      );
    },
    onSuccess: async () => {
      form.reset();
      await queries.invalidateQueries(profileQuery);
    },
  });
  return (
    <Section
      title={t('form.email')}
      body={
        account.email === null ? (
          t('settings.no_email')
        ) : (
          <bdi>{t('settings.email_now', { email: account.email })}</bdi>
        )
      }
    >
      <form onSubmit={submit}>
        <Stack maw="32rem">
          {error !== null && <ErrorAlert error={error} />}
          {pending !== null && (
            <Alert role="status" icon={<IconMailCheck aria-hidden />}>
              {t('settings.email_pending', { email: pending })}
            </Alert>
          )}
          <TextInput
            label={t('settings.new_email')}
            type="email"
            name="email"
            autoComplete="email"
            required
            maxLength={254}
            {...form.getInputProps('email')}
          />
          <Text size="sm" c="dimmed">
            {t('settings.email_effects')}
          </Text>
          <Group>
            <Button type="submit" variant="default" loading={isPending}>
              {t('settings.send_link')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
