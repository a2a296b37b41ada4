import { SegmentedControl, Stack, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../parts/code-field.tsx';
import { Loading } from '../parts/loading.tsx';
import { onDemand } from '../parts/on-demand.tsx';
import type { JsonSchema, Values } from './items.ts';
import type { Issue } from './try-connection.ts';

const SchemaForm = onDemand(async () => (await import('./schema-form.tsx')).default);

/** Arguments in a form that follows their schema, or as JSON; `onChange` gets null while it is none. */
export function Arguments({
  schema,
  issues,
  onChange,
}: {
  schema: JsonSchema;
  issues: readonly Issue[];
  onChange(values: Values | null): void;
}) {
  const { t } = useTranslation();
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const [values, setValues] = useState<Values>({});
  const [text, setText] = useState('{}');
  const parsed = parse(text);

  function change(next: Values) {
    setValues(next);
    onChange(next);
  }

  function choose(next: 'form' | 'json') {
    if (next === 'json') setText(JSON.stringify(values, null, 2));
    setMode(next);
  }

  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('try.arguments')}
        value={mode}
        w="fit-content"
        // The form can show objects only.
        disabled={mode === 'json' && parsed === null}
        data={[
          { value: 'form', label: t('try.as_form') },
          { value: 'json', label: t('try.as_json') },
        ]}
        onChange={(next) => choose(next)}
      />
      {mode === 'form' ? (
        <Suspense fallback={<Loading height={120} />}>
          <SchemaForm schema={schema} values={values} issues={issues} onChange={change} />
        </Suspense>
      ) : (
        <CodeField
          label={t('try.arguments')}
          language="json"
          lines={6}
          value={text}
          error={parsed === null ? t('try.not_an_object') : messagesOf(issues)}
          onChange={(value) => {
            setText(value);
            const next = parse(value);
            if (next === null) onChange(null);
            else change(next);
          }}
        />
      )}
      {mode === 'form' &&
        issues
          .filter(({ pointer }) => pointer === '')
          .map(({ message }) => (
            <Text key={message} role="alert" size="sm" c="var(--mantine-color-error)">
              {message}
            </Text>
          ))}
    </Stack>
  );
}

/** Returns the object that a text is; null for any other text. */
function parse(text: string): Values | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Values)
      : null;
  } catch {
    return null;
  }
}

const messagesOf = (issues: readonly Issue[]) =>
  issues.length === 0
    ? null
    : issues.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('\n');
