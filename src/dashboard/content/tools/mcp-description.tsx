import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { jsonText } from '../json-text.ts';
import { Section } from '../section.tsx';
import { addressOf, useSpace } from '../space.ts';
import type { Tool } from './tool.ts';

/** What the MCP server says about its tool, as it was approved. */
export function McpDescription({ tool }: { tool: Extract<Tool, { kind: 'mcp' }> }) {
  const { t } = useTranslation();
  const space = useSpace();
  return (
    <Section title={t('content.tools.from_server')} intro={t('content.tools.from_server_hint')}>
      <dl className="card facts">
        <div>
          <dt>{t('content.tools.server')}</dt>
          <dd>
            <Link
              to={addressOf(space, 'tools', `upstreams/${tool.mcp.upstream_id}`)}
              className="text-link"
            >
              {t('content.tools.show_server')}
            </Link>
          </dd>
        </div>
        <div>
          <dt>{t('content.tools.server_tool')}</dt>
          <dd>
            <bdi>{tool.mcp.tool}</bdi>
          </dd>
        </div>
      </dl>
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('content_field.description')}
        </Text>
        <Text size="sm" className="message-text" dir="auto">
          {tool.description}
        </Text>
      </div>
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('content_field.input_schema')}
        </Text>
        <pre className="difference" dir="ltr" tabIndex={0}>
          {jsonText(tool.input_schema)}
        </pre>
      </div>
    </Section>
  );
}
