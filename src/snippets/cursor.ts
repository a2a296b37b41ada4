import { json, KEY_PLACE } from './client.ts';
import type { McpClient } from './client.ts';

export const cursor: McpClient = {
  id: 'cursor',
  title: 'Cursor',
  configuration: (endpoint) => ({
    place: '.cursor/mcp.json of the project, or ~/.cursor/mcp.json',
    language: 'json',
    text: json({
      mcpServers: { toolgate: { url: endpoint, headers: { 'X-API-Key': KEY_PLACE } } },
    }),
  }),
  instructionPlace: 'a rule that always applies (.cursor/rules), or Settings → Rules',
  note: null,
};
