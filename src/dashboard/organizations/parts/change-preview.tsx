import { Alert, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AffectedSubject, ChangePreview as Preview } from '../../../previews/schema.ts';
import { request } from '../../api/request.ts';
import { Problem } from './problem.tsx';
import { Loading } from '../../parts/loading.tsx';
import { listOf } from '../../texts/texts.ts';

const PREVIEW_MS = 300;
const NAMED = 12;
const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;

/** Shows who gains and loses what by a change before it is saved; the service counts. */
export function ChangePreview({ path, body }: { path: string; body: object }) {
  const { t } = useTranslation();
  const [draft] = useDebouncedValue(body, PREVIEW_MS);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['change-preview', path, draft],
    queryFn: ({ signal }) => request<Preview>(`${path}/preview`, { body: draft, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <section aria-labelledby="change">
      <Title order={2} id="change" mb="sm">
        {t('change.title')}
      </Title>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading height={80} />}
      {data !== undefined && error === null && <Effects preview={data} />}
    </section>
  );
}

function Effects({ preview: { affected, examined, total, errors } }: { preview: Preview }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Text role="status" size="sm" fw={600}>
        {affected.length === 0 ? t('change.none') : t('change.affects', { count: affected.length })}
      </Text>
      {examined < total && (
        <Text size="sm" c="dimmed">
          {t('change.examined', { examined, total })}
        </Text>
      )}
      {errors.map(({ code, message }) => (
        <Alert key={`${code} ${message}`} color="red" role="alert">
          {t('change.refused')} {message}
        </Alert>
      ))}
      {affected.length > 0 && (
        <div className="card list">
          {affected.map((one) => (
            <Affected key={`${one.subject.kind} ${one.subject.id}`} affected={one} />
          ))}
        </div>
      )}
    </Stack>
  );
}

function Affected({ affected }: { affected: AffectedSubject }) {
  const { t } = useTranslation();
  const { subject, counts } = affected;
  return (
    <div className="list-row">
      <Group gap="xs">
        <Text fw={600} size="sm">
          <bdi>{subject.name ?? t('change.unnamed')}</bdi>
        </Text>
        <Badge size="sm" variant="default" tt="none">
          {t(`change.kind_${subject.kind}`)}
        </Badge>
      </Group>
      <Effect
        label={t('change.gains')}
        permissions={affected.permissions_gained}
        items={affected.gained}
        counts={counts.gained}
      />
      <Effect
        label={t('change.loses')}
        permissions={affected.permissions_lost}
        items={affected.lost}
        counts={counts.lost}
      />
    </div>
  );
}

function Effect({
  label,
  permissions,
  items,
  counts,
}: {
  label: string;
  permissions: readonly string[];
  items: AffectedSubject['gained'];
  counts: AffectedSubject['counts']['gained'];
}) {
  const { t } = useTranslation();
  const names = [
    ...permissions,
    ...FAMILIES.flatMap((family) => items[family].map(({ name }) => name)),
  ];
  const total = permissions.length + FAMILIES.reduce((sum, family) => sum + counts[family], 0);
  if (total === 0) return null;
  const more = total - Math.min(names.length, NAMED);
  return (
    <Text size="sm">
      {label} <bdi>{listOf(names.slice(0, NAMED))}</bdi>
      {more > 0 && ` ${t('change.more', { count: more })}`}
    </Text>
  );
}
