import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Reference } from '../../platform/http/reference.ts';
import { UNAVAILABLE } from './key-values.ts';
import type { Translate } from '../texts/texts.ts';

/** Assigns one of the agents that a credential reaches, or none, under a heading that says so. */
export function AgentField<Values extends { default_agent_id: string | null }>({
  form,
  reachable,
}: {
  form: UseFormReturnType<Values>;
  reachable: readonly Reference[];
}) {
  const { t } = useTranslation();
  const { default_agent_id: chosen } = form.values;
  const choose = (id: string | null) => form.setValues({ default_agent_id: id } as Partial<Values>);
  if (chosen === UNAVAILABLE)
    return (
      <Alert color="yellow">
        <Stack gap="xs" align="start">
          <Text size="sm">{t('key_form.agent_unavailable')}</Text>
          <Button size="compact-sm" variant="default" onClick={() => choose(null)}>
            {t('key_form.agent_clear')}
          </Button>
        </Stack>
      </Alert>
    );
  const isReachable = chosen === null || reachable.some(({ id }) => id === chosen);
  const options = reachable.map(({ id, name }) => ({ value: id, label: name }));
  if (options.length === 0 && isReachable)
    return (
      <Text size="sm" c="dimmed">
        {t('key_form.agent_nothing')}
      </Text>
    );
  return (
    <Group align="end" gap="xs">
      <Select
        flex={1}
        aria-label={t('key_form.agent')}
        description={t('key_form.agent_hint')}
        placeholder={t('key_form.agent_none')}
        data={
          isReachable
            ? options
            : [...options, { value: chosen, label: t('key_form.agent_unreachable') }]
        }
        searchable
        value={chosen}
        error={form.errors['default_agent_id']}
        data-path="default_agent_id"
        onChange={choose}
      />
      {chosen !== null && (
        <Button variant="default" onClick={() => choose(null)}>
          {t('key_form.agent_clear')}
        </Button>
      )}
    </Group>
  );
}

/** Returns the name of the agent that is chosen, or what is the matter with it. */
export function agentSummary(
  chosen: string | null,
  reachable: readonly { id: string; name: string }[],
  t: Translate,
): string {
  if (chosen === null) return t('key_form.agent_none');
  if (chosen === UNAVAILABLE) return t('key_form.agent_unavailable');
  return reachable.find(({ id }) => id === chosen)?.name ?? t('key_form.agent_unreachable');
}
