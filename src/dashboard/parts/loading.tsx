import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Page } from './page.tsx';

/** The place of what is being read. */
export function Loading({ height, width = '100%' }: { height: number; width?: number | string }) {
  const { t } = useTranslation();
  return <Skeleton height={height} width={width} role="status" aria-label={t('frame.loading')} />;
}

/** A page whose title is being read too. */
export function LoadingPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('frame.loading')}>
      <Loading height={240} />
    </Page>
  );
}
