import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LocalMail } from './local-mail.tsx';
import { ResendLink } from './resend-link.tsx';
import { useCaptcha } from './use-captcha.tsx';
import { request } from '../api/request.ts';
import { Outside } from '../frame/outside.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { firstPart } from '../parts/field-errors.ts';
import { NewPassword } from '../parts/new-password.tsx';
import { useServerForm } from '../parts/use-server-form.ts';

/** Creates an account; its e-mail address is confirmed by a link. */
export function SignUpPage() {
  const { t, i18n } = useTranslation();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const captcha = useCaptcha();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '', password: '', first_name: '', last_name: '' },
    fieldOf: firstPart(['email', 'password', 'first_name', 'last_name', 'captcha_token']),
    async send(values) {
      const locale = i18n.resolvedLanguage ?? 'en';
      await captcha.send((captcha_token) =>
        request('/api/auth/register', { body: { ...values, locale, captcha_token } }),
      );
      return values.email;
    },
    onSuccess: setSentTo,
  });
  const { email, first_name, last_name } = form.getValues();
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
          <NewPassword
            label={t('form.password')}
            personal={[email, first_name, last_name]}
            {...form.getInputProps('password')}
          />
          {captcha.widget(form.errors['captcha_token'])}
          <Button type="submit" loading={isPending}>
            {t('sign_up.action')}
          </Button>
          <Text size="sm">
            {t('sign_up.known')}{' '}
            <Anchor underline="always" renderRoot={(props) => <Link to="/sign-in" {...props} />}>
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
  return (
    <Outside title={t('sign_up.sent')}>
      <Stack>
        <Alert role="status" icon={<IconMailCheck aria-hidden />}>
          {t('sign_up.sent_body', { email })}
        </Alert>
        <LocalMail />
        <Button renderRoot={(props) => <Link to="/sign-in" {...props} />}>
          {t('sign_up.sign_in')}
        </Button>
        <ResendLink email={email} />
      </Stack>
    </Outside>
  );
}
