import { json, KEY_PLACE } from './client.ts';
import type { McpClient } from './client.ts';

export const other: McpClient = {
  id: 'other',
  title: 'Another client',
  configuration: (endpoint) => ({
    place: 'the list of MCP servers of the client (transport: Streamable HTTP)',
    language: 'json',
    text: json({
      mcpServers: {
        toolgate: { type: 'http', url: endpoint, headers: { 'X-API-Key': KEY_PLACE } },
      },
    }),
  }),
  instructionPlace: 'wherever the client keeps instructions that hold for every task',
  note: null,
};
