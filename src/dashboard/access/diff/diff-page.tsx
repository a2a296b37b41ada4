import { SegmentedControl, Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../parts/page.tsx';
import type { DiffSearch } from '../access-search.ts';
import { ReviewDiff } from './review-diff.tsx';
import { SubjectDiff } from './subject-diff.tsx';

const route = getRouteApi('/app/org/$organizationId/access/compare');

type Of = 'subjects' | 'reviews';

/** What only one of two subjects may do, or what changed between two reviews; the address names them. */
export function DiffPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = useNavigate();
  const show = (next: DiffSearch) => void navigate({ to: '.', search: () => ({ ...next }) });
  const ofReviews = search.of === 'reviews';
  return (
    <Page title={t('access.diff_title')} about={t('access.diff_about')}>
      <Stack gap="lg">
        <SegmentedControl<Of>
          aria-label={t('diff.of')}
          className="add-row"
          data={[
            { value: 'subjects', label: t('diff.subjects') },
            { value: 'reviews', label: t('access.reviews_title') },
          ]}
          value={ofReviews ? 'reviews' : 'subjects'}
          onChange={(of) => show(of === 'reviews' ? { of } : {})}
        />
        {ofReviews ? (
          <ReviewDiff search={search} onChange={show} />
        ) : (
          <SubjectDiff search={search} onChange={show} />
        )}
      </Stack>
    </Page>
  );
}
