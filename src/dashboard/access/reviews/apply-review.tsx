import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReviewApplication } from '../../../explorer/reviews/applying/schema.ts';
import type { Job } from '../../../jobs/schema.ts';
import { runAsJob } from '../../api/jobs.ts';
import { request } from '../../api/request.ts';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Loading } from '../../parts/loading.tsx';
import { RunningJob } from '../../parts/running-job.tsx';
import type { Translate } from '../../texts/texts.ts';
import { Changes } from './changes.tsx';
import { reviewsPath } from './reviews.ts';
import type { Review } from './reviews.ts';

/** Makes the changes that were decided on, once each was shown. */
export function ApplyReview({ review }: { review: Review }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (review.counts.reduce + review.counts.revoke === 0) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('apply.button')}</Button>
      {isOpen && <ApplyDialog review={review} onClose={() => setOpen(false)} />}
    </>
  );
}

function ApplyDialog({ review, onClose }: { review: Review; onClose(): void }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const [job, setJob] = useState<Job | null>(null);
  const path = reviewsPath(id, `/${review.id}/apply`);
  const preview = useQuery({
    queryKey: ['review', id, review.id, 'apply'],
    queryFn: ({ signal }) => request<ReviewApplication>(`${path}/preview`, { body: {}, signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const apply = useMutation({
    mutationFn: () => runAsJob(path, {}, setJob),
    async onSuccess(ended) {
      setJob(ended);
      await queries.invalidateQueries({ queryKey: ['access', id] });
    },
    onError: () => setJob(null),
  });
  const result =
    job?.state === 'succeeded' ? (job.result as ReviewApplication) : (preview.data ?? null);
  const isDone = job?.state === 'succeeded' || job?.state === 'cancelled';
  const planned = preview.data?.counts.planned ?? 0;
  return (
    <Modal
      opened
      size="lg"
      title={t(isDone ? 'apply.done_title' : 'apply.title', { name: review.name })}
      onClose={onClose}
      closeOnEscape={!apply.isPending}
      closeOnClickOutside={!apply.isPending}
      withCloseButton={!apply.isPending}
    >
      <Stack>
        {!isDone && <Text size="sm">{t('apply.about')}</Text>}
        {preview.isError && (
          <Problem error={preview.error} onRetry={() => void preview.refetch()} />
        )}
        {apply.isError && <Problem error={apply.error} />}
        {preview.isPending && <Loading height={120} />}
        {job?.state === 'running' && (
          <RunningJob
            job={job}
            progressText={(done, total) => t('apply.progress', { done, total })}
          />
        )}
        {job?.state === 'cancelled' && <Text role="status">{t('apply.cancelled')}</Text>}
        {result !== null && (
          <>
            <Text fw={600} role="status">
              {countsText(result, t)}
            </Text>
            <Changes changes={result.changes} />
          </>
        )}
        <Group justify="end">
          <Button
            variant={isDone ? 'filled' : 'default'}
            onClick={onClose}
            disabled={apply.isPending}
          >
            {t(isDone ? 'apply.close' : 'form.cancel')}
          </Button>
          {!isDone && preview.isSuccess && planned > 0 && (
            <Button loading={apply.isPending} onClick={() => apply.mutate()}>
              {t('apply.confirm', { count: planned })}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** Returns how many decisions have each outcome: `Will be changed: 4 · Refused: 1`. */
function countsText({ counts }: ReviewApplication, t: Translate) {
  const shown = (['planned', 'applied', 'refused', 'by_hand', 'unchanged'] as const).filter(
    (one) => counts[one] > 0,
  );
  return shown.map((one) => `${t(`apply.${one}`)}: ${counts[one]}`).join(' · ');
}
