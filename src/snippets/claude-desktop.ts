import { json, KEY_PLACE } from './client.ts';
import type { McpClient } from './client.ts';

export const claudeDesktop: McpClient = {
  id: 'claude_desktop',
  title: 'Claude Desktop',
  configuration: (endpoint) => ({
    place: 'claude_desktop_config.json (Settings → Developer → Edit Config)',
    language: 'json',
    text: json({
      mcpServers: {
        toolgate: {
          command: 'npx',
          args: ['-y', 'mcp-remote', endpoint, '--header', 'X-API-Key:${TOOLGATE_KEY}'],
          env: { TOOLGATE_KEY: KEY_PLACE },
        },
      },
    }),
  }),
  instructionPlace: 'Settings → Profile → Personal preferences, or the instructions of a project',
  note: 'Connectors take no header, so a local bridge carries the key; it needs Node.js.',
};
