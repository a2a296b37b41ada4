// Another MCP server, as small as it can be: its tool returns as many characters as it is asked for.
// The path names the protocol version that it speaks; `/http` is for tools of kind http.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';

interface Message {
  id?: number | string;
  method?: string;
  params?: { arguments?: { size?: number } };
  size?: number;
}

const serverInfo = { name: 'upstream', version: '1' };
const capabilities = { tools: {} };
const tools = [
  {
    name: 'report',
    description: 'Returns a report of the given length.',
    inputSchema: { type: 'object', properties: { size: { type: 'integer' } } },
  },
];
const cached = { ttlMs: 300_000, cacheScope: 'private' };
// JSON within text, as most tools return it.
const ROW = '{"title": "A row of a report", "score": 12, "tags": ["one", "two"]},\n';
const textOf = (size = 1_024) => ROW.repeat(Math.ceil(size / ROW.length)).slice(0, size);

function resultOf({ method, params }: Message, is2026: boolean): object | null {
  const complete = is2026 ? { resultType: 'complete' } : {};
  if (method === 'tools/call')
    return { ...complete, content: [{ type: 'text', text: textOf(params?.arguments?.size) }] };
  if (method === 'tools/list') return { ...complete, tools, ...(is2026 ? cached : {}) };
  if (method === 'server/discover' && is2026)
    return { ...complete, supportedVersions: ['2026-07-28'], capabilities, ...cached };
  if (method === 'initialize' && !is2026)
    return { protocolVersion: '2025-11-25', capabilities, serverInfo };
  return null;
}

const answerOf = (message: Message, is2026: boolean) => {
  const result = resultOf(message, is2026);
  const outcome = result === null ? { error: { code: -32601, message: 'unknown' } } : { result };
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome });
};

function send(response: ServerResponse, text: string, type = 'application/json'): void {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function handle(url: string, message: Message, response: ServerResponse): void {
  const answer = answerOf(message, url.startsWith('/2026'));
  if (url.startsWith('/http')) send(response, JSON.stringify({ report: textOf(message.size) }));
  else if (message.id === undefined) response.writeHead(202).end();
  else if (url.startsWith('/2025-events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`event: message\ndata: ${answer}\n\n`);
  } else send(response, answer);
}

const server = createServer((request, response) => {
  const { url = '', method } = request;
  if (method === 'POST')
    void buffer(request).then((bytes) => handle(url, JSON.parse(bytes.toString()), response));
  else response.writeHead(method === 'DELETE' ? 200 : 405).end();
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
