import { Group, Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { ReactNode } from 'react';

/** A part of a page of the settings: its heading, what it is for, and what can be done. */
export function Section({
  title,
  body,
  actions,
  children,
}: {
  title: string;
  body?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="card section">
      <Group justify="space-between" align="start" gap="sm">
        <div className="section-text">
          <Title order={2} id={id}>
            {title}
          </Title>
          {body !== undefined && (
            <Text size="sm" c="dimmed" mt={4}>
              {body}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </section>
  );
}
