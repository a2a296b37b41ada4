import { Button, Group, Text } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { Outside } from './outside.tsx';

/** Shown instead of a page that failed. */
export function FailedPage({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return (
    <Page title={t('errors.failed')}>
      <Failure error={error} />
    </Page>
  );
}

/** Shown instead of all pages, without the frame; the service may be unavailable. */
export function FailedDashboard({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return (
    <Outside title={t('errors.failed')}>
      <Failure error={error} />
    </Outside>
  );
}

function Failure({ error }: { error: unknown }) {
  const router = useRouter();
  return <ErrorAlert error={error} onRetry={() => void router.invalidate()} />;
}

/** Shown at an address that does not exist. */
export function MissingPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('errors.not_found')}>
      <Missing />
    </Page>
  );
}

/** Shown at an address that does not exist, without the frame. */
export function MissingDashboard() {
  const { t } = useTranslation();
  return (
    <Outside title={t('errors.not_found')}>
      <Missing />
    </Outside>
  );
}

function Missing() {
  const { t } = useTranslation();
  return (
    <>
      <Text mb="md">{t('errors.not_found_body')}</Text>
      <Group>
        <Button renderRoot={(props) => <Link to="/app" {...props} />}>
          {t('errors.to_overview')}
        </Button>
      </Group>
    </>
  );
}
