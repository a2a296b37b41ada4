import { NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Loading } from '../../parts/loading.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { shortId } from '../../parts/short-id.ts';
import classes from '../access.module.css';
import type { DiffSearch } from '../access-search.ts';
import { diffQuery } from '../access.ts';
import { reviewsQuery } from '../reviews/reviews.ts';
import { Differences } from './differences.tsx';

/** Compares what everyone had at the times of two reviews. */
export function ReviewDiff({
  search: { left, right },
  onChange,
}: {
  search: DiffSearch;
  onChange(next: DiffSearch): void;
}) {
  const { t, i18n } = useTranslation();
  const { id } = useOrganization();
  const list = useInfiniteQuery(reviewsQuery(id));
  const reviews = (list.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter(({ status }) => status !== 'running');
  const diff = useQuery({
    ...diffQuery(id, { review_id: left ?? '' }, { review_id: right ?? '' }),
    enabled: left !== undefined && right !== undefined,
  });
  const at = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' });
  const options = reviews.map((one) => ({
    value: one.id,
    label: `${one.name} (${at.format(new Date(one.created_at))})`,
  }));
  const nameOf = (review: string) => reviews.find((one) => one.id === review)?.name;
  const field = (value: string | undefined, label: string, name: 'left' | 'right') => (
    <NativeSelect
      label={label}
      value={value ?? ''}
      data={[
        { value: '', label: t('diff.choose_review') },
        ...(value === undefined || nameOf(value) !== undefined
          ? []
          : [{ value, label: shortId(value) }]),
        ...options,
      ]}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChange({
          of: 'reviews',
          ...(left === undefined ? {} : { left }),
          ...(right === undefined ? {} : { right }),
          ...(chosen === '' ? {} : { [name]: chosen }),
        })
      }
    />
  );
  return (
    <>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <div className={classes.sides}>
        {field(left, t('diff.before'), 'left')}
        {field(right, t('diff.after'), 'right')}
      </div>
      <MoreButton list={list} />
      {(left === undefined || right === undefined) && (
        <Text c="dimmed">
          {t(list.isSuccess && reviews.length < 2 ? 'diff.too_few' : 'diff.choose_reviews')}
        </Text>
      )}
      {diff.isError && <Problem error={diff.error} onRetry={() => void diff.refetch()} />}
      {left !== undefined && right !== undefined && diff.isPending && <Loading height={200} />}
      {diff.data !== undefined && left !== undefined && right !== undefined && (
        <Differences
          diff={diff.data}
          left={nameOf(left) ?? t('diff.before')}
          right={nameOf(right) ?? t('diff.after')}
        />
      )}
    </>
  );
}
