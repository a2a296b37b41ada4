import { Button, Group, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Job } from '../../jobs/schema.ts';
import { cancelJob } from '../api/jobs.ts';
import { ErrorAlert } from './error-alert.tsx';

const SLOW_MS = 1_000;

/** A job that takes longer than a moment: how far it is, and a way to stop it. */
export function RunningJob({
  job: { id, done, total },
  progressText,
}: {
  job: Job;
  progressText(done: number, total: number): string;
}) {
  const { t } = useTranslation();
  const [isSlow, setSlow] = useState(false);
  useTimeout(() => setSlow(true), SLOW_MS, { autoInvoke: true });
  const cancel = useMutation({ mutationFn: () => cancelJob(id) });
  if (!isSlow) return null;
  const text = total === null ? t('frame.loading') : progressText(done, total);
  return (
    <Stack gap="xs">
      {cancel.isError && <ErrorAlert error={cancel.error} />}
      <Text size="sm" role="status">
        {text}
      </Text>
      <Group gap="sm">
        <progress aria-label={text} {...(total === null ? {} : { value: done, max: total })} />
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {t('form.cancel')}
        </Button>
      </Group>
    </Stack>
  );
}
