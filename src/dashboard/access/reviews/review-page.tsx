import { Button, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../../api/request.ts';
import { MissingPage } from '../../frame/failed-page.tsx';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import filterStyles from '../../parts/filters.module.css';
import { Loading, LoadingPage } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { ApplyReview } from './apply-review.tsx';
import { EntryRow } from './entry-row.tsx';
import { ReviewStatus } from './reviews-page.tsx';
import {
  closeReview,
  DECISIONS,
  entriesFile,
  entriesQuery,
  FLAGS,
  reviewQuery,
  reviewsPath,
} from './reviews.ts';
import type { EntryFilters, Review } from './reviews.ts';
import { MoreButton } from '../../parts/more-button.tsx';

const route = getRouteApi('/app/org/$organizationId/access/reviews/$reviewId');

/** One review: its entries, each with a decision that is to be made. */
export function ReviewPage() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const { reviewId } = route.useParams();
  const filters = route.useSearch();
  const review = useQuery(reviewQuery(id, reviewId));
  if (review.error instanceof RequestError && review.error.status === 404) return <MissingPage />;
  if (review.isError && review.data === undefined)
    return (
      <Page title={t('access.reviews_title')}>
        <Problem error={review.error} onRetry={() => void review.refetch()} />
      </Page>
    );
  if (review.data === undefined) return <LoadingPage />;
  const { name, status, created_at, created_by } = review.data;
  return (
    <Page
      title={name}
      badge={<ReviewStatus status={status} />}
      parents={[{ to: `/app/org/${id}/access/reviews`, label: t('access.reviews_title') }]}
      about={
        <>
          <Moment at={created_at} /> ·{' '}
          <bdi>
            {created_by.kind === 'system'
              ? t('access.review_nightly')
              : (created_by.email ?? t('org_keys.former_member'))}
          </bdi>
        </>
      }
      actions={
        <>
          <DownloadButton href={entriesFile(id, reviewId, filters)}>
            {t('audit.download')}
          </DownloadButton>
          {status === 'open' && <CloseReview review={review.data} />}
          {status !== 'running' && <ApplyReview review={review.data} />}
        </>
      }
    >
      <Stack gap="lg">
        <Decided review={review.data} />
        {status === 'open' && (
          <Text size="sm" c="dimmed">
            {t('access.decisions_change_nothing')}
          </Text>
        )}
        <EntryList review={review.data} filters={filters} />
      </Stack>
    </Page>
  );
}

/** How many of the entries have a decision. */
function Decided({ review: { counts } }: { review: Review }) {
  const { t } = useTranslation();
  const done = counts.entries - counts.undecided;
  const text = t('access.decided', { done, total: counts.entries });
  return (
    <Stack gap="xs">
      <Text fw={600} role="status">
        {text}
      </Text>
      <Progress
        value={counts.entries === 0 ? 100 : (done / counts.entries) * 100}
        aria-label={text}
      />
      <Text size="sm" c="dimmed">
        {DECISIONS.map((one) => `${t(`access.${one}`)}: ${counts[one]}`).join(' · ')}
        {' · '}
        {t('access.flagged', { count: counts.flagged })}
      </Text>
    </Stack>
  );
}

function CloseReview({ review }: { review: Review }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const close = useMutation({
    mutationFn: () => closeReview(reviewsPath(id, `/${review.id}`)),
    async onSuccess(closed) {
      setOpen(false);
      queries.setQueryData(reviewQuery(id, review.id).queryKey, closed);
      await queries.invalidateQueries({ queryKey: ['paged', reviewsPath(id)] });
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('access.review_close')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('access.review_close_title', { name: review.name })}
          name={review.name}
          typeLabel={null}
          action={t('access.review_close')}
          isPending={close.isPending}
          error={close.error}
          onConfirm={() => close.mutate()}
          onClose={() => setOpen(false)}
        >
          <Text size="sm">{t('access.review_close_body', { count: review.counts.undecided })}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

function EntryList({ review, filters }: { review: Review; filters: EntryFilters }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery({
    ...entriesQuery(id, review.id, filters),
    enabled: review.status !== 'running',
  });
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const set = (change: Partial<Record<keyof EntryFilters, string>>) =>
    void navigate({
      search: () =>
        Object.fromEntries(
          Object.entries({ ...filters, ...change }).filter(([, value]) => value !== ''),
        ),
      replace: true,
    });
  if (review.status === 'running') return <Text c="dimmed">{t('access.review_running_body')}</Text>;
  return (
    <Stack>
      <div className={filterStyles.filters} role="search">
        <NativeSelect
          data-filter
          label={t('access.flag')}
          value={filters.flag ?? ''}
          data={[
            { value: '', label: t('audit.any') },
            ...FLAGS.map((one) => ({ value: one, label: t(`access.flag_${one}`) })),
          ]}
          onChange={({ currentTarget }) => set({ flag: currentTarget.value })}
        />
        <NativeSelect
          label={t('access.decision')}
          value={filters.decision ?? ''}
          data={[
            { value: '', label: t('audit.any') },
            { value: 'none', label: t('access.undecided') },
            ...DECISIONS.map((one) => ({ value: one, label: t(`access.${one}`) })),
          ]}
          onChange={({ currentTarget }) => set({ decision: currentTarget.value })}
        />
      </div>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading height={240} />}
      {list.isSuccess && entries.length === 0 && (
        <Text className="card empty">{t('audit.none_match')}</Text>
      )}
      {entries.length > 0 && (
        <ul className="card list steps" aria-label={t('access.entries')}>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} review={review} />
          ))}
        </ul>
      )}
      <MoreButton list={list} />
    </Stack>
  );
}
