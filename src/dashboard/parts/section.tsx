import { Group, Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import classes from './section.module.css';

/** A part of a form that is folded until it is needed; `summary` is what it says while folded. */
export function Section({
  title,
  summary,
  hasError = false,
  children,
}: {
  title: string;
  summary: string;
  hasError?: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={`card ${classes.section}`}
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Group gap={6} wrap="nowrap">
          <IconChevronRight size={16} aria-hidden className={classes.mark} />
          <Title order={2} size="h3">
            {title}
          </Title>
        </Group>
        <Text size="sm" c="dimmed">
          {summary}
        </Text>
      </summary>
      <div className={classes.content}>{children}</div>
    </details>
  );
}
