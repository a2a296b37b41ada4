import { NativeSelect, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { capabilities } from '../../../authz/permissions.ts';
import { useSpace } from '../space.ts';
import { MAX_OPTIONS } from '../../parts/max-options.ts';
import { CONDITIONS } from './agent.ts';
import type { AgentValues, ConditionKind } from './agent.ts';
import { choicesQuery } from './choices.ts';

interface ConditionProps {
  form: UseFormReturnType<AgentValues>;
  index: number;
}

/** When a part of an agent's instructions applies. */
export function ConditionFields({ form, index }: ConditionProps) {
  const { t } = useTranslation();
  const { kind } = form.values.components[index]!.when;
  const number = index + 1;
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('content.agents.when', { number })}
        data={CONDITIONS.map((one) => ({ value: one, label: t(`content.agents.when_${one}`) }))}
        value={kind}
        onChange={({ currentTarget: { value } }) =>
          form.setFieldValue(`components.${index}.when`, {
            kind: value as ConditionKind,
            value: value === 'capability' ? capabilities[0] : '',
          })
        }
      />
      {kind === 'capability' && (
        <NativeSelect
          size="xs"
          aria-label={t('content.agents.when_item', { number })}
          data={capabilities.map((one) => ({ value: one, label: t(`capability.${one}`) }))}
          {...form.getInputProps(`components.${index}.when.value`)}
        />
      )}
      {kind === 'resource' && (
        <TextInput
          size="xs"
          dir="ltr"
          aria-label={t('content.agents.when_path', { number })}
          placeholder={t('content_field.path')}
          flex="1 1 10rem"
          {...form.getInputProps(`components.${index}.when.value`)}
        />
      )}
      {(kind === 'tool' || kind === 'prompt' || kind === 'agent') && (
        <ItemChoice form={form} index={index} family={kind} />
      )}
    </>
  );
}

function ItemChoice({
  form,
  index,
  family,
}: ConditionProps & { family: 'tool' | 'prompt' | 'agent' }) {
  const { t } = useTranslation();
  const { data, isPending } = useQuery(choicesQuery(useSpace(), family));
  const { value } = form.values.components[index]!.when;
  const own = data?.own.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const builtIn = data?.builtIn.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const isGone =
    data !== undefined && value !== '' && ![...own, ...builtIn].some((one) => one.value === value);
  // A condition may name an item that was deleted meanwhile; it stays until another is chosen.
  const deleted = isGone ? [{ value, label: t('content.agents.gone', { id: value }) }] : [];
  return (
    <Select
      size="xs"
      flex="1 1 12rem"
      searchable
      limit={MAX_OPTIONS}
      aria-label={t('content.agents.when_item', { number: index + 1 })}
      placeholder={t('content.agents.choose')}
      disabled={isPending}
      nothingFoundMessage={t('mcp.no_match')}
      data={[
        ...deleted,
        ...(own.length > 0 ? [{ group: t('content.agents.own'), items: own }] : []),
        ...(builtIn.length > 0 ? [{ group: t('content.agents.built_in'), items: builtIn }] : []),
      ]}
      {...form.getInputProps(`components.${index}.when.value`)}
      onChange={(next) => form.setFieldValue(`components.${index}.when.value`, next ?? '')}
    />
  );
}
