import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { pagedQuery } from '../organizations.ts';
import { Problem } from './problem.tsx';
import { Loading } from '../../parts/loading.tsx';

/** A list that is read page by page: loading, empty, failed, and with more to show. */
export function Entries<Entry>({
  query,
  empty,
  idOf,
  children,
}: {
  query: ReturnType<typeof pagedQuery<Entry>>;
  empty: ReactNode;
  idOf(entry: Entry): string;
  children(entry: Entry): ReactNode;
}) {
  const { t } = useTranslation();
  const list = useInfiniteQuery(query);
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Stack>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading height={160} />}
      {list.isSuccess && entries.length === 0 && (
        <Text className="card empty" component="div">
          {empty}
        </Text>
      )}
      {entries.length > 0 && (
        <div className="card list">
          {entries.map((entry) => (
            <Fragment key={idOf(entry)}>{children(entry)}</Fragment>
          ))}
        </div>
      )}
      {list.hasNextPage && (
        <Button
          variant="default"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t('keys.more')}
        </Button>
      )}
    </Stack>
  );
}
