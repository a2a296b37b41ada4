import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createEngine } from '../../../src/authz/engine/client.ts';
import type { CheckItem, Engine } from '../../../src/authz/engine/client.ts';

export interface RecordedRequest {
  path: string;
  body: {
    checks?: { correlation_id: string; tuple_key: { user: string } }[];
    consistency?: string;
    authorization_model_id?: string;
    writes?: object;
    deletes?: object;
  };
}
export type Answer = (requests: RecordedRequest, response: ServerResponse) => unknown;

/**
 * OpenFGA stub for responses that the real server does not send on demand; test/integration uses
 * the real one.
 */
export async function startStub(
  answer: Answer,
  deadlineMs = 5_000,
): Promise<{ engine: Engine; requests: RecordedRequest[] }> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => void (text += chunk.toString()));
    request.on('end', () => {
      const one = { path: request.url ?? '', body: JSON.parse(text) as RecordedRequest['body'] };
      requests.push(one);
      void answer(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const engine = createEngine({
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiToken: undefined,
    storeId: '01HVMMBCMGZNT3SED4Z17ECXCA',
    modelId: MODEL,
    deadlineMs,
  });
  return { engine, requests };
}

export const MODEL = '01HVMMBCMGZNT3SED4Z17ECXCB';
export function send(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
export const questions = (count: number): CheckItem[] =>
  Array.from({ length: count }, (_, n) => ({
    subject: `user:${n}`,
    relation: 'can_see',
    object: `account:${n}`,
  }));
