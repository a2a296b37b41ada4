import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DailyUsage } from '../../usage/daily/schema.ts';
import classes from './usage.module.css';

type Day = DailyUsage['days'][number];

/** Calls per day as bars, or as a table with all numbers. */
export function DailyChart({ days }: { days: readonly Day[] }) {
  const { t } = useTranslation();
  const [isTable, setTable] = useState(false);
  return (
    <div className="card">
      <Group justify="space-between" p="sm" gap="xs">
        <Text size="sm" c="dimmed">
          {t('usage.period', { most: Math.max(0, ...days.map(({ calls }) => calls)) })}
        </Text>
        <Button variant="default" onClick={() => setTable(!isTable)}>
          {t(isTable ? 'usage.show_chart' : 'usage.show_table')}
        </Button>
      </Group>
      {isTable ? <DailyTable days={days} /> : <Bars days={days} />}
    </div>
  );
}

const [WIDTH, HEIGHT, GAP] = [600, 140, 4];

function Bars({ days }: { days: readonly Day[] }) {
  const { t, i18n } = useTranslation();
  const format = (day: string) => dayName(day, i18n.resolvedLanguage);
  const most = days.reduce<Day | null>(
    (best, day) => (best === null || day.calls > best.calls ? day : best),
    null,
  );
  if (most === null) return null;
  const total = days.reduce((sum, { calls }) => sum + calls, 0);
  const highest = Math.max(...days.map(({ calls, refused }) => calls + refused), 1);
  const step = WIDTH / days.length;
  const height = (value: number) => (value / highest) * HEIGHT;
  return (
    <figure className={classes.chart}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('usage.chart', { total, most: most.calls, day: format(most.day) })}
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className={classes.axis} />
        {days.map(({ day, calls, refused }, index) => (
          <g key={day}>
            <title>
              {`${format(day)}: ${t('usage.counted')} ${calls}, ${t('usage.refused')} ${refused}`}
            </title>
            <rect x={index * step} y={0} width={step} height={HEIGHT} fill="transparent" />
            <rect
              className={classes.bar}
              x={index * step + GAP / 2}
              y={HEIGHT - height(calls)}
              width={step - GAP}
              height={height(calls)}
            />
            <rect
              className={classes.refused}
              x={index * step + GAP / 2}
              y={HEIGHT - height(calls + refused)}
              width={step - GAP}
              height={height(refused)}
            />
          </g>
        ))}
      </svg>
      <figcaption>
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {format(days[0]!.day)}
          </Text>
          <Group gap="md">
            <Text size="xs">
              <span className={classes.key} data-kind="calls" aria-hidden /> {t('usage.counted')}
            </Text>
            <Text size="xs">
              <span className={classes.key} data-kind="refused" aria-hidden /> {t('usage.refused')}
            </Text>
          </Group>
          <Text size="xs" c="dimmed">
            {format(days.at(-1)!.day)}
          </Text>
        </Group>
      </figcaption>
    </figure>
  );
}

function DailyTable({ days }: { days: readonly Day[] }) {
  const { t, i18n } = useTranslation();
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={t('usage.days')}>
      <table className={classes.table}>
        <thead>
          <tr>
            {(['day', 'counted', 'refused', 'content_reads'] as const).map((column) => (
              <th key={column} scope="col">
                {t(`usage.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, calls, refused, content_reads }) => (
            <tr key={day}>
              <th scope="row">{dayName(day, i18n.resolvedLanguage)}</th>
              <td>{calls}</td>
              <td>{refused}</td>
              <td>{content_reads}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Days are counted in UTC. */
const dayName = (day: string, language: string | undefined): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(language, {
    dateStyle: 'medium',
    timeZone: 'UTC',
  });
