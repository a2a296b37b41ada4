import {
  Checkbox,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../parts/code-field.tsx';
import { AddRow, RemoveRow } from '../../parts/row-buttons.tsx';
import { FieldList } from '../field-list.tsx';
import { jsonText } from '../json-text.ts';
import { ServerSource } from '../server-source.tsx';
import { Preview } from './prompt-preview.tsx';
import type { Prompt, PromptValues } from './prompt.ts';

interface FormProps {
  form: UseFormReturnType<PromptValues>;
}

/**
 * The fields of a prompt, next to what an agent gets from it; only the name of a prompt of an MCP
 * server can be changed here.
 */
export function PromptFields({ form, item }: FormProps & { item: Prompt | null }) {
  const { t } = useTranslation();
  const name = (
    <TextInput
      label={t('content_field.name')}
      description={t('content.name_hint')}
      required
      dir="ltr"
      autoComplete="off"
      {...form.getInputProps('name')}
    />
  );
  if (item?.upstream !== undefined)
    return (
      <Stack gap="lg">
        {name}
        <ServerPrompt prompt={item} upstream={item.upstream} />
      </Stack>
    );
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
      <Stack gap="lg">
        {name}
        <TextInput label={t('content_field.title')} {...form.getInputProps('title')} />
        <Textarea
          label={t('content_field.description')}
          description={t('content.prompts.description_hint')}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('description')}
        />
        <Arguments form={form} />
        <Messages form={form} />
      </Stack>
      <Preview values={form.values} />
    </SimpleGrid>
  );
}

/** What the MCP server says about its prompt, as it was approved. */
function ServerPrompt({
  prompt,
  upstream: { upstream_id, prompt: source },
}: {
  prompt: Prompt;
  upstream: NonNullable<Prompt['upstream']>;
}) {
  const { t } = useTranslation();
  const { title, description } = prompt;
  return (
    <ServerSource
      label={t('content_field.name')}
      described={{ title, description }}
      {...{ upstream_id, source }}
    >
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('content_field.arguments')}
        </Text>
        <pre className="difference" dir="ltr" tabIndex={0}>
          {jsonText(prompt.arguments)}
        </pre>
      </div>
    </ServerSource>
  );
}

function Arguments({ form }: FormProps) {
  const { t } = useTranslation();
  return (
    <FieldList
      title={t('content_field.arguments')}
      hint={t('content.prompts.arguments_hint', { example: '{{topic}}' })}
      error={form.errors['arguments']}
    >
      {form.values.arguments.map((argument, index) => (
        <Group key={index} align="start" gap="xs" className="field-row">
          <TextInput
            aria-label={t('content.prompts.argument_name', { number: index + 1 })}
            placeholder={t('content_field.name')}
            dir="ltr"
            flex="1 1 8rem"
            {...form.getInputProps(`arguments.${index}.name`)}
            error={form.errors[`arguments.${index}.name`] ?? form.errors[`arguments.${index}`]}
          />
          <TextInput
            aria-label={t('content.prompts.argument_description', { number: index + 1 })}
            placeholder={t('content_field.description')}
            flex="2 1 10rem"
            {...form.getInputProps(`arguments.${index}.description`)}
          />
          <Checkbox
            label={t('content.prompts.required')}
            mt={8}
            {...form.getInputProps(`arguments.${index}.required`, { type: 'checkbox' })}
          />
          <RemoveRow
            label={t('content.prompts.remove_argument', { name: argument.name || index + 1 })}
            onClick={() => form.removeListItem('arguments', index)}
          />
        </Group>
      ))}
      <AddRow
        onClick={() =>
          form.insertListItem('arguments', { name: '', description: '', required: false })
        }
      >
        {t('content.prompts.add_argument')}
      </AddRow>
    </FieldList>
  );
}

function Messages({ form }: FormProps) {
  const { t } = useTranslation();
  return (
    <FieldList
      title={t('content_field.messages')}
      hint={t('content.prompts.messages_hint')}
      error={form.errors['messages']}
    >
      {form.values.messages.map((_message, index) => (
        <Stack key={index} gap={4}>
          <Group justify="space-between" gap="xs">
            <NativeSelect
              size="xs"
              aria-label={t('content.prompts.role', { number: index + 1 })}
              data={[
                { value: 'user', label: t('content.prompts.user') },
                { value: 'assistant', label: t('content.prompts.assistant') },
              ]}
              {...form.getInputProps(`messages.${index}.role`)}
            />
            {form.values.messages.length > 1 && (
              <RemoveRow
                size="md"
                label={t('content.prompts.remove_message', { number: index + 1 })}
                onClick={() => form.removeListItem('messages', index)}
              />
            )}
          </Group>
          <CodeField
            aria-label={t('content.prompts.message', { number: index + 1 })}
            language="markdown"
            lines={6}
            {...form.getInputProps(`messages.${index}.content`)}
          />
        </Stack>
      ))}
      <Group gap="sm">
        <AddRow
          onClick={() =>
            form.insertListItem('messages', {
              role: form.values.messages.at(-1)?.role === 'user' ? 'assistant' : 'user',
              content: '',
            })
          }
        >
          {t('content.prompts.add_message')}
        </AddRow>
        <Text size="xs" c="dimmed">
          {t('content.prompts.message_count', { count: form.values.messages.length })}
        </Text>
      </Group>
    </FieldList>
  );
}
