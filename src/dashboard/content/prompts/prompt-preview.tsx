import { Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PromptValues } from './prompt.ts';

/** What an agent gets from a prompt: its messages, with values that can be tried. */
export function Preview({ values }: { values: PromptValues }) {
  const { t } = useTranslation();
  const [filled, setFilled] = useState<Record<string, string>>({});
  const names = values.arguments.map(({ name }) => name).filter((name) => name !== '');
  return (
    <section aria-labelledby="prompt-preview">
      <Title order={2} id="prompt-preview" mb="sm">
        {t('content.prompts.preview')}
      </Title>
      <Stack gap="md">
        {names.length > 0 && (
          <Group gap="sm" grow preventGrowOverflow={false}>
            {[...new Set(names)].map((name) => (
              <TextInput
                key={name}
                size="xs"
                label={t('content.prompts.try', { name })}
                value={filled[name] ?? ''}
                onChange={({ currentTarget: { value } }) => setFilled({ ...filled, [name]: value })}
              />
            ))}
          </Group>
        )}
        {values.messages.map(({ role, content }, index) => (
          <div key={index} className="card message">
            <Text size="xs" c="dimmed" mb={4}>
              {t(`content.prompts.${role}`)}
            </Text>
            <div className="message-text" dir="auto">
              {withValues(content, names, filled)}
            </div>
          </div>
        ))}
      </Stack>
    </section>
  );
}

/** Replaces the placeholders that have a value, and marks the others. */
function withValues(
  content: string,
  names: readonly string[],
  filled: Readonly<Record<string, string>>,
): ReactNode[] {
  return content.split(/(\{\{[A-Za-z0-9_-]+\}\})/).map((part, index) => {
    const name = /^\{\{(.+)\}\}$/.exec(part)?.[1];
    if (name === undefined || !names.includes(name)) return part;
    const value = filled[name] ?? '';
    return <mark key={index}>{value === '' ? part : value}</mark>;
  });
}
