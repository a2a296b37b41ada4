import { Stack, Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { ReactNode } from 'react';

/** A part of a page under a heading. */
export function Section({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {intro !== undefined && (
        <Text size="sm" c="dimmed" mt={4}>
          {intro}
        </Text>
      )}
      <Stack gap="md" mt="md">
        {children}
      </Stack>
    </section>
  );
}
