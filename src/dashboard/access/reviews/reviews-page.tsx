import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Job } from '../../../jobs/schema.ts';
import { runAsJob } from '../../api/jobs.ts';
import { Entries } from '../../organizations/parts/entries.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Fact, Row } from '../../parts/row.tsx';
import { RunningJob } from '../../parts/running-job.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { reviewsPath, reviewsQuery } from './reviews.ts';
import type { Review } from './reviews.ts';

/** Reviews of what everyone may do, and taking one. */
export function ReviewsPage() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  return (
    <Page title={t('access.reviews_title')} about={t('access.reviews_about')}>
      <Stack gap="lg">
        <NewReview />
        <Entries
          query={reviewsQuery(id)}
          empty={t('access.reviews_none')}
          idOf={(review: Review) => review.id}
        >
          {(review) => <ReviewRow review={review} />}
        </Entries>
      </Stack>
    </Page>
  );
}

/** Takes a review, which may take long, and opens it. */
function NewReview() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [job, setJob] = useState<Job | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: '' },
    send: async ({ name }) =>
      runAsJob(reviewsPath(id), name.trim() === '' ? {} : { name: name.trim() }, setJob),
    async onSuccess(ended) {
      setJob(ended);
      await queries.invalidateQueries({ queryKey: reviewsQuery(id).queryKey });
      if (ended.state !== 'succeeded') return;
      await navigate({
        to: '/app/org/$organizationId/access/reviews/$reviewId',
        params: { organizationId: id, reviewId: (ended.result as Review).id },
      });
    },
    onError: () => setJob(null),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {error !== null && <ErrorAlert error={error} />}
        <Group align="end" gap="sm">
          <TextInput
            label={t('access.review_name')}
            placeholder={t('access.review_name_hint')}
            maxLength={100}
            flex={1}
            miw={220}
            maw={360}
            {...form.getInputProps('name')}
          />
          <Button type="submit" loading={isPending}>
            {t('access.review_take')}
          </Button>
        </Group>
        {job?.state === 'running' && (
          <RunningJob
            job={job}
            progressText={(done, total) => t('access.review_progress', { done, total })}
          />
        )}
        {job?.state === 'cancelled' && <Text role="status">{t('access.review_cancelled')}</Text>}
      </Stack>
    </form>
  );
}

const COLORS = { running: 'gray', open: 'accent', closed: 'gray' } as const;

/** Whether decisions can still be made in a review. */
export const ReviewStatus = ({ status }: Pick<Review, 'status'>) => {
  const { t } = useTranslation();
  return (
    <Badge variant="light" color={COLORS[status]}>
      {t(`access.review_${status}`)}
    </Badge>
  );
};

function ReviewRow({ review }: { review: Review }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const { counts, created_by } = review;
  return (
    <Link
      to="/app/org/$organizationId/access/reviews/$reviewId"
      params={{ organizationId: id, reviewId: review.id }}
      className="list-row columns"
    >
      <Row
        name={<bdi>{review.name}</bdi>}
        about={
          created_by.kind === 'system'
            ? t('access.review_nightly')
            : (created_by.email ?? t('org_keys.former_member'))
        }
        end={<Moment at={review.created_at} />}
      >
        <Fact isNumber>
          {review.status !== 'running' &&
            t('access.decided', {
              done: counts.entries - counts.undecided,
              total: counts.entries,
            })}
        </Fact>
        <Fact>
          <ReviewStatus status={review.status} />
        </Fact>
      </Row>
    </Link>
  );
}
