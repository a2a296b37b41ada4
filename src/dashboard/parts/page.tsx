import { Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/**
 * A page: the pages above it, its title, which is also the document's, what is said about it, what
 * can be done there, and its content.
 */
export function Page({
  title,
  parents = [],
  badge,
  about,
  actions,
  children,
}: {
  title: string;
  /** From the outermost on. */
  parents?: readonly { to: string; label: string }[];
  /** The state of what the page shows, next to its title. */
  badge?: ReactNode;
  about?: ReactNode;
  /** Buttons, with the most important one, and then what destroys, last. */
  actions?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${title} – toolgate`);
  return (
    <div className="page">
      <div className="page-head">
        <div className="page-title">
          {parents.length > 0 && (
            <div className="page-parents">
              {parents.map(({ to, label }) => (
                <Link key={to} to={to}>
                  {label}
                </Link>
              ))}
            </div>
          )}
          <div className="page-name">
            <Title order={1}>{title}</Title>
            {badge}
          </div>
          {about !== undefined && (
            <Text size="sm" c="dimmed" component="div" mt={6}>
              {about}
            </Text>
          )}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
