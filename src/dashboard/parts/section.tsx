import { Group, Text, Title } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import classes from './section.module.css';

/**
 * A part of a form that is folded until it is needed; `summary` is what it says while folded. Its
 * content is drawn when it is first opened: with hundreds of boxes, it would slow down every key.
 */
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
  const isShown = isOpen || hasError;
  const [isDrawn, setDrawn] = useState(isShown);
  if (isShown && !isDrawn) setDrawn(true);
  return (
    <details
      className={`card ${classes.section}`}
      open={isShown}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="fold">
        <Group gap={6} wrap="nowrap">
          <IconChevronRight size={16} aria-hidden className="fold-mark" />
          <Title order={2} size="h3">
            {title}
          </Title>
        </Group>
        <Text size="sm" c="dimmed">
          {summary}
        </Text>
      </summary>
      {isDrawn && <div className={classes.content}>{children}</div>}
    </details>
  );
}
