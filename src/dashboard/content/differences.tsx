import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldValues } from './family.ts';
import { useFieldName } from './field-names.ts';

/** Returns the fields whose values differ; secrets are never shown. */
const changedFields = (left: FieldValues, right: FieldValues): string[] =>
  Object.keys(left).filter(
    (field) => field !== 'secrets' && textOf(left[field]) !== textOf(right[field]),
  );

/** Shows the fields that differ between two versions, next to each other. */
export function Differences({
  left,
  right,
  leftTitle,
  rightTitle,
  onTake,
}: {
  left: FieldValues;
  right: FieldValues;
  leftTitle: string;
  rightTitle: string;
  /** Takes one field from the right side. */
  onTake?: ((field: string) => void) | undefined;
}) {
  const { t } = useTranslation();
  const nameOf = useFieldName();
  const fields = changedFields(left, right);
  if (fields.length === 0) return <Text size="sm">{t('content.no_difference')}</Text>;
  return (
    <Stack gap="md">
      {fields.map((field) => (
        // Not a landmark: a page may compare several things.
        <div key={field} role="group" aria-label={nameOf(field)}>
          <Group justify="space-between" mb={4}>
            <Text size="sm" fw={600}>
              {nameOf(field)}
            </Text>
            {onTake !== undefined && (
              <Button size="compact-xs" variant="default" onClick={() => onTake(field)}>
                {t('content.take_theirs', { field: nameOf(field) })}
              </Button>
            )}
          </Group>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <Side title={leftTitle}>{textOf(left[field])}</Side>
            <Side title={rightTitle}>{textOf(right[field])}</Side>
          </SimpleGrid>
        </div>
      ))}
    </Stack>
  );
}

function Side({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <pre className="difference" dir="auto">
        {children === '' ? t('content.nothing') : children}
      </pre>
    </div>
  );
}

/** Writes a value for people: texts as they are, records as lines of names and values. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('\n\n');
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .filter(([, part]) => part !== null && part !== '')
    .map(([name, part]) => `${name}: ${textOf(part)}`)
    .join('\n');
}
