import { Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { onDemand } from '../parts/on-demand.tsx';
import type { KeyValues, PolicyField as Field } from './key-values.ts';
import {
  builtInPromptsQuery,
  builtInToolsQuery,
  ownAgentsQuery,
  ownPromptsQuery,
  ownResourcesQuery,
  ownToolsQuery,
} from './own-items.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { ItemPicker } from '../parts/item-picker.tsx';
import { PolicyField } from './policy-field.tsx';
import { Loading } from '../parts/loading.tsx';

const PatternsField = onDemand(async () => (await import('./patterns-field.tsx')).PatternsField);

type KeyForm = UseFormReturnType<KeyValues>;

/** The four policies of a key in its owner's account. */
export function Policies({ form }: { form: KeyForm }) {
  return (
    <Stack gap="lg">
      <ToolPolicy form={form} />
      <ResourcePolicy form={form} />
      <PromptPolicy form={form} />
      <AgentPolicy form={form} />
    </Stack>
  );
}

function useField<Name extends Field>(form: KeyForm, field: Name) {
  const { t } = useTranslation();
  const policy = form.values[field];
  const known: Field = field;
  const change = (part: Partial<KeyValues[Name]>) =>
    form.setValues({ [field]: { ...policy, ...part } });
  const frame = {
    field,
    title: t(`policy.${known}`),
    mode: policy.mode,
    error: form.errors[field],
    onMode: (mode: KeyValues[Name]['mode']) => change({ mode } as Partial<KeyValues[Name]>),
  };
  return { policy, change, frame };
}

function ToolPolicy({ form }: { form: KeyForm }) {
  const { t } = useTranslation();
  const { policy, change, frame } = useField(form, 'tool_policy');
  const builtIn = useQuery({ ...builtInToolsQuery, enabled: policy.mode !== 'all' });
  const own = useQuery({ ...ownToolsQuery, enabled: policy.mode !== 'all' });
  return (
    <PolicyField {...frame}>
      <Failed queries={[builtIn, own]} />
      <ItemPicker
        title={t('policy.built_in_tools')}
        items={builtIn.data?.map(({ id, name, selected }) => ({
          id,
          name,
          note: selected ? undefined : t('policy.stays_hidden'),
        }))}
        selected={policy.tools}
        onChange={(tools) => change({ tools })}
      />
      <ItemPicker
        title={t('policy.own_tools')}
        items={own.data}
        selected={policy.custom_tools}
        onChange={(custom_tools) => change({ custom_tools })}
      />
    </PolicyField>
  );
}

function PromptPolicy({ form }: { form: KeyForm }) {
  const { t } = useTranslation();
  const { policy, change, frame } = useField(form, 'prompt_policy');
  const builtIn = useQuery({ ...builtInPromptsQuery, enabled: policy.mode !== 'all' });
  const own = useQuery({ ...ownPromptsQuery, enabled: policy.mode !== 'all' });
  return (
    <PolicyField {...frame}>
      <Failed queries={[builtIn, own]} />
      <ItemPicker
        title={t('policy.own_prompts')}
        items={own.data}
        selected={policy.prompts}
        onChange={(prompts) => change({ prompts })}
      />
      <ItemPicker
        title={t('policy.built_in_prompts')}
        items={builtIn.data?.map(({ id, name }) => ({ id, name }))}
        selected={policy.platform_prompts}
        onChange={(platform_prompts) => change({ platform_prompts })}
      />
    </PolicyField>
  );
}

function AgentPolicy({ form }: { form: KeyForm }) {
  const { t } = useTranslation();
  const { policy, change, frame } = useField(form, 'agent_policy');
  const own = useQuery({ ...ownAgentsQuery, enabled: policy.mode !== 'all' });
  return (
    <PolicyField {...frame}>
      <Failed queries={[own]} />
      <ItemPicker
        title={t('policy.own_agents')}
        items={own.data?.map(({ id, name }) => ({ id, name }))}
        selected={policy.agents}
        onChange={(agents) => change({ agents })}
      />
    </PolicyField>
  );
}

function ResourcePolicy({ form }: { form: KeyForm }) {
  const { policy, change, frame } = useField(form, 'resource_policy');
  const own = useQuery({ ...ownResourcesQuery, enabled: policy.mode !== 'all' });
  return (
    <PolicyField {...frame}>
      <Failed queries={[own]} />
      <Suspense fallback={<Loading height={80} />}>
        <PatternsField
          patterns={policy.patterns}
          paths={own.data?.map(({ path }) => path)}
          onChange={(patterns) => change({ patterns })}
        />
      </Suspense>
    </PolicyField>
  );
}

function Failed({
  queries,
}: {
  queries: readonly { error: unknown; refetch(): Promise<unknown> }[];
}) {
  const failed = queries.find(({ error }) => error !== null);
  return failed && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />;
}
