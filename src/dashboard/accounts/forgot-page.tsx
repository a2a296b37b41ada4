import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCaptcha } from './use-captcha.tsx';
import { request } from '../api/request.ts';
import { Outside } from '../frame/outside.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { firstPart } from '../parts/field-errors.ts';
import { useServerForm } from '../parts/use-server-form.ts';

/** Sends a link to set a new password; the answer does not tell whether the address has an account. */
export function ForgotPage() {
  const { t } = useTranslation();
  const [isSent, setSent] = useState(false);
  const captcha = useCaptcha();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '' },
    fieldOf: firstPart(['email', 'captcha_token']),
    send: ({ email }) =>
      captcha.send((captcha_token) =>
        request('/api/auth/password/reset', { body: { email, captcha_token } }),
      ),
    onSuccess: () => setSent(true),
  });
  return (
    <Outside title={t('forgot.title')}>
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <ErrorAlert error={error} />}
          {isSent && <Alert role="status">{t('forgot.sent')}</Alert>}
          <TextInput
            label={t('form.email')}
            type="email"
            name="email"
            autoComplete="email"
            required
            maxLength={254}
            {...form.getInputProps('email')}
          />
          {captcha.widget(form.errors['captcha_token'])}
          <Button type="submit" loading={isPending}>
            {t('forgot.action')}
          </Button>
          <Text size="sm">
            <Anchor renderRoot={(props) => <Link to="/sign-in" {...props} />}>
              {t('forgot.back')}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </Outside>
  );
}
