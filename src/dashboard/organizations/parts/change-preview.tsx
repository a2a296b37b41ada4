import { Alert, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AccessEffect, ChangePreview as Preview } from '../../../previews/schema.ts';
import { request } from '../../api/request.ts';
import { groupsOf } from './permission-words.ts';
import { Problem } from './problem.tsx';
import { Loading } from '../../parts/loading.tsx';
import { listOf } from '../../texts/texts.ts';
import type { Translate } from '../../texts/texts.ts';

const PREVIEW_MS = 300;
const NAMED = 12;
const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;

/** Shows who gains and loses what by a change before it is saved; the service counts. */
export function ChangePreview({
  path,
  body,
  isOfCredentials = false,
}: {
  path: string;
  body: object;
  /** Whether only keys and connections are examined, and no members. */
  isOfCredentials?: boolean;
}) {
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
      {data !== undefined && error === null && (
        <Effects preview={data} none={t(isOfCredentials ? 'change.none_now' : 'change.none')} />
      )}
    </section>
  );
}

function Effects({ preview, none }: { preview: Preview; none: string }) {
  const { t } = useTranslation();
  const { examined, total, errors } = preview;
  const affected = affectedBy(preview);
  return (
    <Stack gap="sm">
      <Text role="status" size="sm" fw={600}>
        {affected.length === 0
          ? none
          : t('change.affected', { subjects: listOf(countsOf(affected, t)) })}
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

/** What a change does to one subject. */
interface Affected {
  subject: AccessEffect['subject'];
  gained: AccessEffect | undefined;
  lost: AccessEffect | undefined;
}

/** Returns what each subject gains and loses, in the order in which they were examined. */
function affectedBy({ gained, lost }: Preview): Affected[] {
  const byId = (effects: readonly AccessEffect[]) =>
    new Map(effects.map((one) => [one.subject.id, one]));
  const [gains, losses] = [byId(gained), byId(lost)];
  const subjects = new Map([...gained, ...lost].map(({ subject }) => [subject.id, subject]));
  return [...subjects.values()].map((subject) => ({
    subject,
    gained: gains.get(subject.id),
    lost: losses.get(subject.id),
  }));
}

const COUNTED = ['member', 'key', 'connection', 'machine'] as const;
/** The texts of kinds of subjects are those of credentials. */
const TEXTS = {
  member: { kind: 'member', count: 'member' },
  key: { kind: 'api_key', count: 'key' },
  organization_key: { kind: 'org_key', count: 'key' },
  connection: { kind: 'connection', count: 'connection' },
  client: { kind: 'machine', count: 'machine' },
} as const;

/** Returns how many of each kind there are: `2 API keys`, `1 connection`. */
function countsOf(affected: readonly Affected[], t: Translate): string[] {
  const kinds = affected.map(({ subject: { kind } }) => TEXTS[kind].count);
  return COUNTED.map((kind) => ({ kind, count: kinds.filter((one) => one === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => t(`change.count_${kind}`, { count }));
}

function Affected({ affected: { subject, gained, lost } }: { affected: Affected }) {
  const { t } = useTranslation();
  return (
    <div className="list-row">
      <Group gap="xs">
        <Text fw={600} size="sm">
          <bdi>{subject.name ?? t('change.unnamed')}</bdi>
        </Text>
        <Badge size="sm" variant="default" tt="none">
          {t(`change.kind_${TEXTS[subject.kind].kind}`)}
        </Badge>
      </Group>
      {gained && <Effect label={t('change.gains')} effect={gained} />}
      {lost && <Effect label={t('change.loses')} effect={lost} />}
    </div>
  );
}

function Effect({
  label,
  effect: { permissions, items, counts },
}: {
  label: string;
  effect: AccessEffect;
}) {
  const { t } = useTranslation();
  const names = [
    ...groupsOf(permissions, t).map(({ noun, verbs }) =>
      verbs === '' ? noun : `${noun} (${verbs})`,
    ),
    ...FAMILIES.flatMap((family) => items[family].map(({ name }) => name)),
  ];
  const listed = FAMILIES.reduce((sum, family) => sum + items[family].length, 0);
  const total = names.length - listed + FAMILIES.reduce((sum, family) => sum + counts[family], 0);
  if (total === 0) return null;
  const more = total - Math.min(names.length, NAMED);
  return (
    <Text size="sm">
      {label} <bdi>{listOf(names.slice(0, NAMED))}</bdi>
      {more > 0 && ` ${t('change.more', { count: more })}`}
    </Text>
  );
}
