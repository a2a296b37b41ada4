import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fragment } from 'react';
import type { pagedQuery } from '../organizations.ts';
import { Problem } from './problem.tsx';
import { Loading } from '../../parts/loading.tsx';
import { MoreButton } from '../../parts/more-button.tsx';

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
      <MoreButton list={list} />
    </Stack>
  );
}
