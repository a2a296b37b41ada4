import { Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import { Section } from './section.tsx';
import { addressOf, useSpace } from './space.ts';
import { Warning } from '../parts/warning.tsx';

const FIELDS = ['title', 'description', 'mime_type'] as const;

/** Where an item comes from whose content is at an MCP server, and what the server says about it. */
export function ServerSource({
  upstream_id,
  label,
  source,
  described,
  children,
}: {
  upstream_id: string;
  /** Label of `source`, the name or URI of the item at the server. */
  label: string;
  source: string;
  /** The approved description, by field; fields without a value are not shown. */
  described: Partial<Record<'title' | 'description' | 'mime_type', string | null>>;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Section title={t('content.tools.from_server')} intro={t('content.tools.from_server_hint')}>
      <dl className="card facts">
        <div>
          <dt>{t('content.tools.server')}</dt>
          <dd>
            <ServerLink upstream_id={upstream_id} />
          </dd>
        </div>
        <div>
          <dt>{label}</dt>
          <dd>
            <bdi>{source}</bdi>
          </dd>
        </div>
      </dl>
      {FIELDS.map((field) => {
        const value = described[field] ?? null;
        return (
          value !== null && (
            <div key={field}>
              <Text size="sm" fw={500} mb={4}>
                {t(`content_field.${field}`)}
              </Text>
              <Text size="sm" className="message-text" dir="auto">
                {value}
              </Text>
            </div>
          )
        );
      })}
      {children}
    </Section>
  );
}

function ServerLink({ upstream_id }: { upstream_id: string }) {
  const { t } = useTranslation();
  return (
    <Link to={addressOf(useSpace(), 'tools', `upstreams/${upstream_id}`)} className="text-link">
      {t('content.tools.show_server')}
    </Link>
  );
}

interface OfServer {
  upstream?: { upstream_id: string } | undefined;
  held?: object | null | undefined;
}

/** Says that an item is hidden until a change at its server is approved there. */
export function QuarantineNotice({ item: { upstream, held } }: { item: OfServer }) {
  const { t } = useTranslation();
  if (upstream === undefined || held == null) return null;
  return (
    <Warning role="alert" icon={<IconLock aria-hidden />} title={t('content.tools.content_held')}>
      <Text size="sm">{t('content.tools.held_body')}</Text>
      <ServerLink upstream_id={upstream.upstream_id} />
    </Warning>
  );
}
