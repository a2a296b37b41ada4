import { Badge, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readAll } from '../../api/lists.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { useSpace } from '../space.ts';
import type { Agent } from './agent.ts';
import { startQuery } from './choices.ts';
import { Loading } from '../../parts/loading.tsx';
import { MAX_OPTIONS } from '../../parts/max-options.ts';

/** What an agent gets that starts as this one with a key: which parts apply depends on the key. */
export function AgentStart({ item }: { item: Agent }) {
  const { t } = useTranslation();
  const [key, setKey] = useState<string | null>(null);
  const keys = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: ({ signal }) => readAll<{ id: string; name: string }>('/api/keys', signal),
  });
  return (
    <Stack>
      {keys.isError && <ErrorAlert error={keys.error} onRetry={() => void keys.refetch()} />}
      <Select
        label={t('content.agents.start_key')}
        description={t('content.agents.start_hint')}
        placeholder={t('content.agents.choose')}
        maw={420}
        searchable
        limit={MAX_OPTIONS}
        disabled={keys.isPending}
        nothingFoundMessage={t('content.agents.no_keys')}
        data={(keys.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={key}
        onChange={setKey}
      />
      {key !== null && <Start agent={item} keyId={key} />}
    </Stack>
  );
}

function Start({ agent, keyId }: { agent: Agent; keyId: string }) {
  const { t } = useTranslation();
  const start = useQuery(startQuery(useSpace(), agent, keyId));
  if (start.isError) return <ErrorAlert error={start.error} onRetry={() => void start.refetch()} />;
  if (start.data === undefined) return <Loading height={160} />;
  const { status, components, context } = start.data;
  if (status === 'unavailable')
    return (
      <Text role="status" className="card empty">
        {t('content.agents.unavailable')}
      </Text>
    );
  return (
    <Stack gap="sm">
      <Group gap="xs" role="status">
        <Text size="sm">{t('content.agents.applied', { count: components.length })}</Text>
        {components.map((name) => (
          <Badge key={name} variant="default" size="sm" tt="none">
            {name}
          </Badge>
        ))}
      </Group>
      <Text size="sm" fw={600}>
        {t('content.agents.context')}
      </Text>
      <pre className="difference" dir="auto" tabIndex={0}>
        {context}
      </pre>
    </Stack>
  );
}
