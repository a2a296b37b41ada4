// The official SDK, version 1, stateless: one server per request, no authorization.
import { createServer } from 'node:http';
import process from 'node:process';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const answer = {
  content: [{ type: 'text' as const, text: '{"ok":true}' }],
  structuredContent: { ok: true },
};

createServer((request, response) => {
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool('noop', { description: 'Does nothing.' }, () => answer);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void server.close());
  void server
    .connect(transport as Parameters<typeof server.connect>[0])
    .then(() => transport.handleRequest(request, response));
}).listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
