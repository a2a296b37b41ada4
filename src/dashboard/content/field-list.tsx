import { Input, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A group of fields under one name, such as the entries of a list; `error` is about all of them. */
export function FieldList({
  title,
  hint,
  error,
  children,
}: {
  title: string;
  hint?: string;
  error?: ReactNode;
  children: ReactNode;
}) {
  return (
    <fieldset className="plain">
      <legend className="field-list-title">{title}</legend>
      {hint !== undefined && (
        <Text size="xs" c="dimmed" mb="xs">
          {hint}
        </Text>
      )}
      {error !== undefined && error !== null && (
        <Input.Error role="alert" mb="xs">
          {error}
        </Input.Error>
      )}
      <Stack gap="sm" align="stretch">
        {children}
      </Stack>
    </fieldset>
  );
}
