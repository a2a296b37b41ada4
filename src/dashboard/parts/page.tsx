import { Group, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** A page: its title, which is also the document's, what can be done there, and its content. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${title} – toolgate`);
  return (
    <div className="page">
      <Group className="page-head" justify="space-between" mb="lg" gap="sm">
        <Title order={1}>{title}</Title>
        {actions}
      </Group>
      {children}
    </div>
  );
}
