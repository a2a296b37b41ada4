import { ActionIcon, Group, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { FieldList } from '../field-list.tsx';
import type { AgentValues } from './agent.ts';
import { ConditionFields } from './condition-fields.tsx';
import { CodeField } from '../../parts/code-field.tsx';
import { AddRow, RemoveRow } from '../../parts/row-buttons.tsx';

interface FormProps {
  form: UseFormReturnType<AgentValues>;
}

/** The fields of an agent definition. */
export function AgentFields({ form }: FormProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="lg">
      <TextInput
        label={t('content_field.name')}
        description={t('content.name_hint')}
        required
        dir="ltr"
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <Textarea
        label={t('content_field.description')}
        description={t('content.agents.description_hint')}
        required
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('description')}
      />
      <CodeField
        label={t('content_field.instructions')}
        description={t('content.agents.instructions_hint')}
        required
        language="markdown"
        lines={12}
        {...form.getInputProps('instructions')}
      />
      <FieldList
        title={t('content_field.components')}
        hint={t('content.agents.components_hint')}
        error={form.errors['components']}
      >
        {form.values.components.map((_component, index) => (
          <Component key={index} form={form} index={index} />
        ))}
        <AddRow
          onClick={() =>
            form.insertListItem('components', {
              name: '',
              content: '',
              when: { kind: 'always', value: '' },
            })
          }
        >
          {t('content.agents.add_component')}
        </AddRow>
      </FieldList>
    </Stack>
  );
}

function Component({ form, index }: FormProps & { index: number }) {
  const { t } = useTranslation();
  const number = index + 1;
  const name = form.values.components[index]!.name || number;
  return (
    <Stack
      gap="xs"
      className="card part"
      role="group"
      aria-label={t('content.agents.component', { number })}
    >
      <Group gap="xs" align="start">
        <TextInput
          size="xs"
          aria-label={t('content.agents.component_name', { number })}
          placeholder={t('content_field.name')}
          dir="ltr"
          flex="1 1 10rem"
          {...form.getInputProps(`components.${index}.name`)}
          error={form.errors[`components.${index}.name`] ?? form.errors[`components.${index}`]}
        />
        <ConditionFields form={form} index={index} />
        <Group gap={2} wrap="nowrap">
          {index > 0 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('content.agents.move_up', { name })}
              onClick={() => form.reorderListItem('components', { from: index, to: index - 1 })}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
          )}
          <RemoveRow
            size="md"
            label={t('content.agents.remove_component', { name })}
            onClick={() => form.removeListItem('components', index)}
          />
        </Group>
      </Group>
      <CodeField
        aria-label={t('content.agents.component_content', { number })}
        language="markdown"
        lines={4}
        {...form.getInputProps(`components.${index}.content`)}
      />
    </Stack>
  );
}
