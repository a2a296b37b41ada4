import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface PagedList {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Reads the next page of a list; nothing if there is none. */
export function MoreButton({ list }: { list: PagedList }) {
  const { t } = useTranslation();
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="default"
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {t('keys.more')}
    </Button>
  );
}
