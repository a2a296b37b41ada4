import { Alert, Button, Code, Group, Loader, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useIsFetching } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PasskeyRefused } from '../api/passkeys.ts';
import { NO_ANSWER, RequestError } from '../api/request.ts';
import { FilesNotRead } from '../api/when-online.ts';
import type { Translate } from '../texts/texts.ts';

/** Shows an error that belongs to no field, with what support needs to find it. */
export function ErrorAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation();
  const isReading = useIsFetching() > 0;
  return (
    <Alert role="alert" color="red" icon={<IconAlertCircle aria-hidden />}>
      <Text size="sm">{messageOf(error, t)}</Text>
      <Group mt="xs" gap="sm">
        {error instanceof RequestError && error.request_id !== null && (
          <Text size="xs" c="dimmed">
            <Code>{error.code}</Code> {t('errors.request_id', { id: error.request_id })}
          </Text>
        )}
        {error instanceof FilesNotRead && (
          <Button size="compact-xs" variant="default" onClick={() => location.reload()}>
            {t('errors.reload')}
          </Button>
        )}
        {onRetry !== undefined && !(error instanceof FilesNotRead) && (
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            {t('errors.retry')}
          </Button>
        )}
        {onRetry !== undefined && isReading && (
          <Loader size="xs" role="status" aria-label={t('frame.loading')} />
        )}
      </Group>
    </Alert>
  );
}

/** Statuses with which a proxy says that the service did not answer. */
const NOT_ANSWERED = [NO_ANSWER, 502, 504];

function messageOf(error: unknown, t: Translate): string {
  if (error instanceof PasskeyRefused) return t('errors.passkey_refused');
  if (error instanceof FilesNotRead) return t('errors.not_loaded');
  if (!(error instanceof RequestError)) return t('errors.failed');
  if (NOT_ANSWERED.includes(error.status)) return t('errors.no_answer');
  if (error.status === 503 && error.errors.length === 0) return t('errors.unavailable');
  if (error.code === 'reauthentication_required') return t('reauthentication.not_done');
  return error.errors.map(({ message }) => message).join(' ') || error.message;
}
