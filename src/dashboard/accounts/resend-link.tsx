import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { request } from '../api/request.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { useCaptcha } from './use-captcha.tsx';

/** Sends the link that confirms an address once more. */
export function ResendLink({ email }: { email: string }) {
  const { t } = useTranslation();
  const captcha = useCaptcha();
  const resend = useMutation({
    mutationFn: () =>
      captcha.send((captcha_token) =>
        request('/api/auth/resend-verification', { body: { email, captcha_token } }),
      ),
  });
  return (
    <>
      {resend.isError && <ErrorAlert error={resend.error} />}
      {resend.isSuccess && <Text role="status">{t('sign_up.resent')}</Text>}
      {captcha.widget()}
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
        {t('sign_up.resend')}
      </Button>
    </>
  );
}
