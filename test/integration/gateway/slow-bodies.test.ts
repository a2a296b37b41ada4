import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createKeyHolder } from '../mcp/key-holder.ts';
import { openSession } from '../mcp/legacy/client.ts';

const { world, gateway } = await useGateway();
const ada = await createKeyHolder(world, gateway);
await ada.select(['calculator']);

interface SlowRequest {
  path: string;
  headers: Record<string, string>;
  body: object;
}

/** Sends headers and part of the body, and the rest once `meanwhile` is done. */
async function sendSlowly({ path, headers, body }: SlowRequest, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body);
  const sent = request(new URL(path, ada.endpoint), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    },
  });
  const responseEvent = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(text.slice(0, 10));
  // By now the caller is authenticated; a refusal would already have arrived.
  const early = await Promise.race([responseEvent, pause(300, null)]);
  expect(early).toBeNull();
  await meanwhile();
  sent.end(text.slice(10));
  const [response] = await responseEvent;
  response.resume();
  return response.statusCode;
}

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'calculator', arguments: { expression: '1' } },
};
const mcp = { accept: 'application/json, text/event-stream' };

const requests: [what: string, prepare: (secret: string) => Promise<SlowRequest>][] = [
  [
    'a tools/call of MCP 2026',
    async (secret) => ({
      path: '/mcp',
      headers: {
        ...mcp,
        'x-api-key': secret,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'calculator',
      },
      body: {
        ...call,
        params: {
          ...call.params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    }),
  ],
  [
    'a tools/call of MCP 2025',
    async (secret) => ({
      path: '/mcp',
      headers: {
        ...mcp,
        'x-api-key': secret,
        'mcp-session-id': await openSession(ada.endpoint, secret),
      },
      body: call,
    }),
  ],
  [
    'a request of the management API',
    async (secret) => ({
      path: '/api/me/prompts',
      headers: { 'x-api-key': secret },
      body: {
        name: `prompt-${Date.now()}`,
        description: 'It is new.',
        messages: [{ role: 'user', content: 'Hello' }],
      },
    }),
  ],
];

const createKey = () =>
  ada.createKey({ grants: [{ scope: { type: 'personal' }, permissions: ['can_create_prompts'] }] });

test.each(requests)(
  '%s with a slow body is refused if its key is revoked before the body ends (A5, authorization.md 6)',
  async (_, prepare) => {
    const { id, secret } = await createKey();

    expect(await sendSlowly(await prepare(secret), () => ada.revoke(id))).toBe(401);
  },
);

test.each(requests)('%s with a slow body succeeds', async (_, prepare) => {
  const { secret } = await createKey();

  const status = await sendSlowly(await prepare(secret), async () => {});

  expect([200, 201]).toContain(status);
});
