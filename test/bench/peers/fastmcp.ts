// fastmcp from npm, stateless over HTTP, no authorization.
import process from 'node:process';
import { FastMCP } from 'fastmcp';

const server = new FastMCP({ name: 'peer', version: '1.0.0' });
server.addTool({
  name: 'noop',
  description: 'Does nothing.',
  execute: () => Promise.resolve('{"ok":true}'),
});
await server.start({
  transportType: 'httpStream',
  httpStream: {
    port: Number(process.env['PORT']),
    endpoint: '/mcp',
    stateless: true,
    enableJsonResponse: true,
  },
});
process.on('SIGTERM', () => process.exit(0));
console.log('ready');
