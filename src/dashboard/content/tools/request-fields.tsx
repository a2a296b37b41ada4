import { Group, NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../parts/code-field.tsx';
import { Section } from '../section.tsx';
import { EntryRows } from './entry-rows.tsx';
import { BODY_KINDS, ENTRY_LISTS, followsMethod, FORMATS, hintsOf, METHODS } from './tool.ts';
import type { ToolValues } from './tool.ts';

interface FormProps {
  form: UseFormReturnType<ToolValues>;
}

/** The request that a call sends. */
export function RequestFields({ form }: FormProps) {
  const { t } = useTranslation();
  return (
    <Section
      title={t('content.tools.request')}
      intro={t('content.tools.request_hint', { argument: '{{city}}', secret: '{{secret.TOKEN}}' })}
    >
      <Group gap="sm" align="start">
        <NativeSelect
          label={t('content_field.method')}
          data={[...METHODS]}
          flex="0 0 7rem"
          {...form.getInputProps('method')}
          onChange={({ currentTarget: { value } }) => {
            const method = METHODS.find((one) => one === value) ?? 'GET';
            const hints = followsMethod(form.values) ? { hints: hintsOf(method) } : {};
            form.setValues({ method, ...hints });
          }}
        />
        <TextInput
          label={t('content_field.url')}
          placeholder="https://api.example.com/weather/{{city}}"
          required
          dir="ltr"
          autoComplete="off"
          flex="1 1 16rem"
          {...form.getInputProps('url')}
        />
      </Group>
      {ENTRY_LISTS.map((list) => (
        <EntryRows key={list} form={form} list={list} />
      ))}
      <NativeSelect
        label={t('content_field.body_kind')}
        maw={240}
        data={BODY_KINDS.map((kind) => ({ value: kind, label: t(`content.tools.body_${kind}`) }))}
        {...form.getInputProps('body_kind')}
      />
      {form.values.body_kind !== 'none' && (
        <CodeField
          label={t('content_field.body')}
          description={t('content.tools.body_hint')}
          language={form.values.body_kind === 'text' ? 'text' : 'json'}
          lines={5}
          {...form.getInputProps('body')}
        />
      )}
      {(form.values.encoding !== '' || form.errors['encoding'] !== undefined) && (
        <CodeField
          label={t('content_field.encoding')}
          description={t('content.tools.encoding_hint')}
          language="json"
          lines={3}
          {...form.getInputProps('encoding')}
        />
      )}
    </Section>
  );
}

/** How the answer becomes the result of the call. */
export function ResponseFields({ form }: FormProps) {
  const { t } = useTranslation();
  return (
    <Section title={t('content.tools.response')}>
      <Group gap="sm" align="start">
        <NativeSelect
          label={t('content_field.format')}
          data={FORMATS.map((format) => ({
            value: format,
            label: t(`content.tools.format_${format}`),
          }))}
          flex="1 1 10rem"
          {...form.getInputProps('format')}
        />
        <TextInput
          label={t('content_field.response_query')}
          placeholder="items[].{name: name}"
          dir="ltr"
          flex="2 1 14rem"
          {...form.getInputProps('response_query')}
        />
        <TextInput
          label={t('content_field.timeout_ms')}
          type="number"
          inputMode="numeric"
          step="any"
          dir="ltr"
          flex="1 1 9rem"
          {...form.getInputProps('timeout_ms')}
          onChange={({ currentTarget: { value } }) =>
            form.setFieldValue('timeout_ms', value === '' ? '' : Number(value))
          }
        />
      </Group>
    </Section>
  );
}
