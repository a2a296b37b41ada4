// The official SDK, version 2, set up as in its documentation, no authorization.
import { createServer } from 'node:http';
import process from 'node:process';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const answer = {
  content: [{ type: 'text' as const, text: '{"ok":true}' }],
  structuredContent: { ok: true },
};

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool('noop', { description: 'Does nothing.' }, () => answer);
  return server;
});
const handle = toNodeHandler(handler);
createServer((request, response) => void handle(request as never, response)).listen(
  Number(process.env['PORT']),
  '127.0.0.1',
  () => console.log('ready'),
);
process.on('SIGTERM', () => process.exit(0));
