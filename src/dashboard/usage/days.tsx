import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Loading } from '../parts/loading.tsx';
import { DailyChart } from './daily-chart.tsx';
import { dailyUsageQuery } from './usage-query.ts';
import { useOwner } from '../organizations/use-owner.ts';

/** The calls on each of the last days. */
export function Days() {
  const { t } = useTranslation();
  const daily = useQuery(dailyUsageQuery(useOwner().api));
  return (
    <section aria-labelledby="days">
      <Title order={2} id="days" mb="sm">
        {t('usage.days')}
      </Title>
      {daily.isError && <ErrorAlert error={daily.error} onRetry={() => void daily.refetch()} />}
      {daily.isPending && <Loading height={200} />}
      {daily.data !== undefined && <DailyChart days={daily.data.days} />}
    </section>
  );
}
