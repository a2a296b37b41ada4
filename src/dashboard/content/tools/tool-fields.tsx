import { Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../parts/code-field.tsx';
import { Section } from '../section.tsx';
import { McpDescription } from './mcp-description.tsx';
import { RequestFields, ResponseFields } from './request-fields.tsx';
import { SecretFields } from './secret-fields.tsx';
import { HINTS } from './tool.ts';
import type { Tool, ToolValues } from './tool.ts';

interface FormProps {
  form: UseFormReturnType<ToolValues>;
  item: Tool | null;
}

/** The fields of a custom tool; only the name of a tool of an MCP server can be changed here. */
export function ToolFields({ form, item }: FormProps) {
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
  if (item?.kind === 'mcp')
    return (
      <Stack gap="lg">
        {name}
        <McpDescription tool={item} />
      </Stack>
    );
  return (
    <Stack gap="xl">
      <Section title={t('content.tools.seen')}>
        {name}
        <TextInput label={t('content_field.title')} {...form.getInputProps('title')} />
        <Textarea
          label={t('content_field.description')}
          description={t('content.tools.description_hint')}
          required
          autosize
          minRows={2}
          maxRows={10}
          {...form.getInputProps('description')}
        />
        <CodeField
          label={t('content_field.input_schema')}
          description={t('content.tools.input_schema_hint')}
          language="json"
          lines={6}
          {...form.getInputProps('input_schema')}
        />
        <Checkbox.Group
          label={t('content_field.hints')}
          description={t('content.tools.hints_hint')}
          {...form.getInputProps('hints')}
        >
          <Group gap="md" mt="xs">
            {HINTS.map((hint) => (
              <Checkbox key={hint} value={hint} label={t(`content.tools.${hint}`)} />
            ))}
          </Group>
        </Checkbox.Group>
      </Section>
      <RequestFields form={form} />
      <SecretFields form={form} item={item} />
      <ResponseFields form={form} />
    </Stack>
  );
}
