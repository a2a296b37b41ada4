import { Button, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Outside } from '../frame/outside.tsx';
import { sendAnswer } from './decision-window.ts';

/** Sends the answer to the page that waits for it, which closes this window. */
export function CallbackPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useEffect(() => {
    sendAnswer(location.search);
    // The code works once, and leaves the address all the same.
    void navigate({ to: '/app/try/callback', replace: true });
  }, [navigate]);
  return (
    <Outside title={t('try.callback_title')}>
      <Stack>
        <Text>{t('try.callback_body')}</Text>
        <Button onClick={() => window.close()}>{t('try.close_window')}</Button>
      </Stack>
    </Outside>
  );
}
