import { Button, Container, Group, Text, Title } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../parts/error-alert.tsx';

/** Shown instead of a page that failed; the service may be unavailable. */
export function FailedPage({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const router = useRouter();
  return (
    <Container size="xs" py="xl">
      <Title order={1} mb="md">
        {t('errors.failed')}
      </Title>
      <ErrorAlert error={error} onRetry={() => void router.invalidate()} />
    </Container>
  );
}

/** Shown at an address that does not exist. */
export function MissingPage() {
  const { t } = useTranslation();
  return (
    <Container size="xs" py="xl">
      <Title order={1} mb="md">
        {t('errors.not_found')}
      </Title>
      <Text mb="md">{t('errors.not_found_body')}</Text>
      <Group>
        <Button renderRoot={(props) => <Link to="/app" {...props} />}>
          {t('errors.to_overview')}
        </Button>
      </Group>
    </Container>
  );
}
