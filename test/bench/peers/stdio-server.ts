// The stdio server behind mcp-proxy.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'peer', version: '1' });
server.registerTool('noop', { description: 'Does nothing.' }, () => ({
  content: [{ type: 'text', text: '{"ok":true}' }],
  structuredContent: { ok: true },
}));
await server.connect(new StdioServerTransport());
