import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { solveCaptcha } from './captcha.ts';
import { request } from '../api/request.ts';
import { Outside } from '../frame/outside.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { useServerForm } from '../parts/use-server-form.ts';

/** Creates an account; its e-mail address is confirmed by a link. */
export function SignUpPage() {
  const { t, i18n } = useTranslation();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '', password: '', first_name: '', last_name: '' },
    async send(values) {
      const captcha_token = await solveCaptcha();
      const locale = i18n.resolvedLanguage ?? 'en';
      await request('/api/auth/register', { body: { ...values, locale, captcha_token } });
      return values.email;
    },
    onSuccess: setSentTo,
  });
  if (sentTo !== null) return <LinkSent email={sentTo} />;
  return (
    <Outside title={t('sign_up.title')}>
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <ErrorAlert error={error} />}
          <TextInput
            label={t('form.email')}
            type="email"
            name="email"
            autoComplete="email"
            required
            maxLength={254}
            {...form.getInputProps('email')}
          />
          <Group grow align="start">
            <TextInput
              label={t('form.first_name')}
              name="given-name"
              autoComplete="given-name"
              {...form.getInputProps('first_name')}
            />
            <TextInput
              label={t('form.last_name')}
              name="family-name"
              autoComplete="family-name"
              {...form.getInputProps('last_name')}
            />
          </Group>
          <PasswordInput
            label={t('form.password')}
            description={t('sign_up.password_rule')}
            name="new-password"
            autoComplete="new-password"
            required
            minLength={12}
            maxLength={128}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={isPending}>
            {t('sign_up.action')}
          </Button>
          <Text size="sm">
            {t('sign_up.known')}{' '}
            <Anchor renderRoot={(props) => <Link to="/sign-in" {...props} />}>
              {t('sign_up.sign_in')}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </Outside>
  );
}

function LinkSent({ email }: { email: string }) {
  const { t } = useTranslation();
  const resend = useMutation({
    mutationFn: async () =>
      request('/api/auth/resend-verification', {
        body: { email, captcha_token: await solveCaptcha() },
      }),
  });
  return (
    <Outside title={t('sign_up.sent')}>
      <Stack>
        <Alert role="status" icon={<IconMailCheck aria-hidden />}>
          {t('sign_up.sent_body', { email })}
        </Alert>
        {resend.isError && <ErrorAlert error={resend.error} />}
        {resend.isSuccess && <Text role="status">{t('sign_up.resent')}</Text>}
        <Button renderRoot={(props) => <Link to="/sign-in" {...props} />}>
          {t('sign_up.sign_in')}
        </Button>
        <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
          {t('sign_up.resend')}
        </Button>
      </Stack>
    </Outside>
  );
}
