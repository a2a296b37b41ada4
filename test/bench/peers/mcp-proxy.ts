// mcp-proxy from npm in front of a stdio server, stateless, no authorization.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { proxyServer, startHTTPServer } from 'mcp-proxy';

const client = new Client({ name: 'proxy', version: '1' });
const args = [fileURLToPath(new URL('stdio-server.ts', import.meta.url))];
await client.connect(new StdioClientTransport({ command: process.execPath, args }));
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
