// mcp-proxy from npm in front of a server that it calls over HTTP, stateless, no authorization.
import process from 'node:process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { proxyServer, startHTTPServer } from 'mcp-proxy';

const client = new Client({ name: 'proxy', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env['UPSTREAM_URL']!)));
const capabilities = client.getServerCapabilities() ?? {};
await startHTTPServer({
  createServer: async () => {
    const server = new Server({ name: 'peer', version: '1' }, { capabilities });
    await proxyServer({ client, server, serverCapabilities: capabilities });
    return server;
  },
  port: Number(process.env['PORT']),
  host: '127.0.0.1',
  stateless: true,
  enableJsonResponse: true,
  streamEndpoint: '/mcp',
  sseEndpoint: null,
});
process.on('SIGTERM', () => process.exit(0));
console.log('ready');
