// A bare Fastify POST that parses and returns JSON: the upper limit for HTTP on this machine.
import process from 'node:process';
import Fastify from 'fastify';

const app = Fastify();
const result = {
  content: [{ type: 'text', text: '{"ok":true}' }],
  structuredContent: { ok: true },
};
app.post('/mcp', (request) => ({
  jsonrpc: '2.0',
  id: (request.body as { id: number }).id,
  result,
}));
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
console.log('ready');
