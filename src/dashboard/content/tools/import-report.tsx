import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Section } from '../section.tsx';
import { addressOf, useSpace } from '../space.ts';
import type { Imported } from './tools.ts';

/** What an import created, what it skipped, and what the new tools lack. */
export function ImportReport({ imported: { tools, skipped, warnings } }: { imported: Imported }) {
  const { t } = useTranslation();
  const space = useSpace();
  return (
    <Stack gap="lg">
      <Text role="status" fw={600}>
        {t('content.tools.import_result', {
          tools: t('content.tools.imported', { count: tools.length }),
          skipped: t('content.tools.skipped', { count: skipped.length }),
          warnings: t('content.tools.warned', { count: warnings.length }),
        })}
      </Text>
      {tools.length > 0 && (
        <Report title={t('content.tools.imported', { count: tools.length })}>
          {tools.map(({ id, name, operation, needs }) => (
            <Row
              key={id}
              operation={operation}
              name={
                <Link to={addressOf(space, 'tools', id)} className="text-link">
                  <bdi>{name}</bdi>
                </Link>
              }
            >
              {needs.map(({ secret, holds }) => (
                <Text key={secret} size="sm">
                  {t('content.tools.needs', { secret, holds })}
                </Text>
              ))}
            </Row>
          ))}
        </Report>
      )}
      {skipped.length > 0 && (
        <Report title={t('content.tools.skipped', { count: skipped.length })}>
          {skipped.map(({ operation, code, message }) => (
            <Row key={`${operation} ${code}`} operation={operation}>
              <Text size="sm">{message}</Text>
            </Row>
          ))}
        </Report>
      )}
      {warnings.length > 0 && (
        <Report title={t('content.tools.warned', { count: warnings.length })}>
          {warnings.map(({ operation, message, detail }) => (
            <Row key={`${operation} ${detail.pointer} ${message}`} operation={operation}>
              <Text size="sm">{message}</Text>
              <Text size="xs" c="dimmed" ff="monospace" dir="ltr">
                {detail.pointer}
              </Text>
            </Row>
          ))}
        </Report>
      )}
    </Stack>
  );
}

function Report({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Section title={title}>
      <ul className="card list names">{children}</ul>
    </Section>
  );
}

function Row({
  operation,
  name,
  children,
}: {
  operation: string;
  name?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="list-row">
      {name !== undefined && <Text fw={600}>{name}</Text>}
      <Text size="sm" c="dimmed" ff="monospace" dir="ltr">
        {operation}
      </Text>
      {children}
    </li>
  );
}
