import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from './server.ts';
import type { UpstreamServer } from './server.ts';

/** A JSON-RPC request as received. */
export interface Asked {
  id: unknown;
  method: string;
  params: Record<string, unknown>;
}
type Answer = (asked: Asked, response: ServerResponse) => void;

export const json = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
export const result = (asked: Asked, value: unknown) => ({
  jsonrpc: '2.0',
  id: asked.id,
  result: value,
});
export const events = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

/** Writes the same text until the connection is destroyed. */
export function endlessly(response: ServerResponse, text: string): void {
  const write = () => {
    while (!response.destroyed && response.write(text));
    if (!response.destroyed) response.once('drain', write);
  };
  write();
}

export const tool = (name: string, more: object = {}) => ({
  name,
  description: 'A tool.',
  inputSchema: { type: 'object' },
  ...more,
});

/** Starts a well-behaved 2025 server except for the given methods. */
export function startHostile(bad: Readonly<Record<string, Answer>>): Promise<UpstreamServer> {
  const good: Record<string, Answer> = {
    initialize: (asked, response) =>
      json(
        response,
        result(asked, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        }),
      ),
    'notifications/initialized': (_asked, response) => void response.writeHead(202).end(),
    'tools/list': (asked, response) => json(response, result(asked, { tools: [tool('any')] })),
  };
  return listen((request, response) => {
    void readBody(request).then((body) => {
      const asked = parse(body);
      const answer = bad[asked.method] ?? good[asked.method];
      if (answer !== undefined) answer(asked, response);
      else json(response, { jsonrpc: '2.0', id: asked.id, error: { code: -32601, message: 'no' } });
    });
  });
}

function parse(body: string): Asked {
  const asked = (body === '' ? {} : JSON.parse(body)) as Partial<Asked>;
  return { id: asked.id ?? null, method: asked.method ?? '', params: asked.params ?? {} };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks = (await request.toArray()) as Buffer[];
  return Buffer.concat(chunks).toString();
}
