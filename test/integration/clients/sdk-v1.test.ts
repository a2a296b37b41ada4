import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test, vi } from 'vitest';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import { startRoundRobin } from '../../support/servers/round-robin.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { connectV1Client } from '../mcp/legacy/client.ts';
import { slowGateway } from '../mcp/legacy/world.ts';

const { world, gateway: firstGateway } = await useGateway({}, slowGateway(new Map()));
const secondGateway = await world.gateway(slowGateway(new Map()));
const ada = await signUp(world, firstGateway);
await selectTools(ada, ['calculator', 'slow', 'reporting']);
const { secret } = await createKey(ada);

const call = (name: string, input: object) => ({
  method: 'tools/call' as const,
  params: { name, arguments: { ...input } },
});

test('a resumption token resumes a call in another client and on another instance (B3-27)', async () => {
  const first = await connectV1Client(`${firstGateway.url}/mcp`, secret);
  let token: string | undefined;
  const lost = first.client.request(call('reporting', { ms: 800 }), CallToolResultSchema, {
    onresumptiontoken: (latest) => {
      token = latest;
    },
  });
  lost.catch(() => {});
  await vi.waitFor(() => expect(token).toBeDefined());
  const { sessionId } = first.transport;
  // Closing the client sends no DELETE: session and call continue.
  await first.client.close();

  const second = new Client({ name: 'test', version: '1' });
  await second.connect(
    new StreamableHTTPClientTransport(new URL(`${secondGateway.url}/mcp`), {
      requestInit: { headers: { 'X-API-Key': secret } },
      sessionId: sessionId!,
    }),
  );
  const result = await second.request(call('reporting', { ms: 800 }), CallToolResultSchema, {
    resumptionToken: token!,
  });

  expect(result.content).toMatchObject([{ text: 'reported' }]);
  await second.close();
});

test('a call completes without a retry when its gateway shuts down (F-G2)', async () => {
  const stopping = await world.gateway(slowGateway(new Map()));
  const targets = [stopping.url];
  const balancer = await startRoundRobin({ targets, rewritesHost: true });
  const { client } = await connectV1Client(`${balancer.url}/mcp`, secret);
  const result = client.callTool({ name: 'slow', arguments: { tag: 'drained', ms: 2_000 } });
  await pause(300);
  targets[0] = secondGateway.url;
  const closing = stopping.service.close();

  expect((await result).content).toMatchObject([{ text: 'done drained' }]);
  await Promise.all([closing, client.close()]);
  await balancer.close();
});

test('terminateSession ends the session, and later requests are refused (B3-23)', async () => {
  const { client, transport } = await connectV1Client(`${firstGateway.url}/mcp`, secret);
  await client.listTools();
  await transport.terminateSession();

  expect(transport.sessionId).toBeUndefined();
  await expect(client.listTools()).rejects.toThrow(/Mcp-Session-Id|session/i);
  await client.close();
});
