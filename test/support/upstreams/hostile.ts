import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from './server.ts';
import type { UpstreamServer } from './server.ts';

/** A JSON-RPC request as received. */
export interface JsonRpcRequest {
  id: unknown;
  method: string;
  params: Record<string, unknown>;
}
type Answer = (call: JsonRpcRequest, response: ServerResponse) => void;

export const json = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
export const result = (call: JsonRpcRequest, value: unknown) => ({
  jsonrpc: '2.0',
  id: call.id,
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

export const tool = (name: string, fields: object = {}) => ({
  name,
  description: 'A tool.',
  inputSchema: { type: 'object' },
  ...fields,
});

/** Starts a 2025 server that behaves well except in the given methods. */
export function startHostile(bad: Readonly<Record<string, Answer>>): Promise<UpstreamServer> {
  const good: Record<string, Answer> = {
    initialize: (call, response) =>
      json(
        response,
        result(call, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        }),
      ),
    'notifications/initialized': (_call, response) => void response.writeHead(202).end(),
    'tools/list': (call, response) => json(response, result(call, { tools: [tool('any')] })),
  };
  return listen((request, response) => {
    void readBody(request).then((body) => {
      const call = parse(body);
      const answer = bad[call.method] ?? good[call.method];
      if (answer !== undefined) answer(call, response);
      else json(response, { jsonrpc: '2.0', id: call.id, error: { code: -32601, message: 'no' } });
    });
  });
}

function parse(body: string): JsonRpcRequest {
  const call = (body === '' ? {} : JSON.parse(body)) as Partial<JsonRpcRequest>;
  return { id: call.id ?? null, method: call.method ?? '', params: call.params ?? {} };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks = (await request.toArray()) as Buffer[];
  return Buffer.concat(chunks).toString();
}
