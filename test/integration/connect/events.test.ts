import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import type { ConnectEvent } from '../../../src/connect/schema.ts';
import { openEvents } from '../../support/clients/event-stream.ts';
import { connectSdkV2 } from '../../support/clients/sdk-v2.ts';
import { oneAddress, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import type { Gateway } from '../../support/worlds/world.ts';

const { world, gateway } = await useGateway(oneAddress);
const other = await world.gateway();
const ada = await signUp(world, gateway);
const bob = await signUp(world, gateway, 'bob');

async function createKey({ person, bearer }: SignedUp) {
  const { status, body } = await person.ask<{ id: string; secret: string }>({
    path: '/api/keys',
    body: { name: `key ${Math.random()}`, mcp_capabilities: ['tools', 'prompts'] },
    headers: bearer,
  });
  expect(status).toBe(201);
  return body;
}

async function watch({ url }: Gateway, { bearer }: SignedUp, address?: string) {
  const stream = await openEvents<ConnectEvent>(`${url}/api/connect/events`, {
    ...bearer,
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
  });
  onTestFinished(() => stream.close());
  expect((await stream.next())?.event).toBe('open');
  return {
    ...stream,
    async request() {
      const event = await stream.next();
      expect(event?.event).toBe('request');
      return event!.data;
    },
  };
}

const legacy = connectSdkV2('legacy', '2025-11-25');
const modern = connectSdkV2({ pin: '2026-07-28' }, '2026-07-28');

test.each([
  ['2025', legacy],
  ['2026', modern],
])(
  'what a key does over the protocol of %s is seen at once, on any gateway',
  async (_, connect) => {
    const key = await createKey(ada);
    const here = await watch(gateway, ada);
    const there = await watch(other, ada);

    const client = await connect(`${gateway.url}/mcp`, key.secret);
    onTestFinished(() => client.close());
    const [tool] = await client.toolNames();
    await client.call(tool!, {});
    await client.prompts!.get('no_such_prompt', {}).catch(() => {});

    for (const stream of [here, there]) {
      const kinds: ConnectEvent[] = [];
      while (kinds.at(-1)?.kind !== 'refused') kinds.push(await stream.request());
      expect(kinds.map(({ kind, name }) => [kind, name])).toEqual([
        ['initialized', null],
        ['listed', null],
        ['called', tool],
        ['refused', expect.any(String)],
      ]);
      expect(new Set(kinds.map(({ credential_id }) => credential_id))).toEqual(new Set([key.id]));
    }
  },
);

test('a person sees nothing of what others’ keys do', async () => {
  const [adasKey, bobsKey] = [await createKey(ada), await createKey(bob)];
  const bobs = await watch(gateway, bob);
  await watch(gateway, ada);

  for (const { secret } of [adasKey, bobsKey])
    await (await legacy(`${gateway.url}/mcp`, secret)).toolNames();

  expect((await bobs.request()).credential_id).toBe(bobsKey.id);
  expect((await bobs.request()).credential_id).toBe(bobsKey.id);
});

test('the stream ends within seconds once the session has ended', async () => {
  const session = await signUp(world, gateway, 'cy');
  const key = await createKey(session);
  const stream = await watch(gateway, session);
  await session.person.ask({ method: 'POST', path: '/api/auth/logout', headers: session.bearer });

  const deadline = AbortSignal.timeout(20_000);
  let ended: string | undefined;
  while (ended === undefined && !deadline.aborted) {
    await (await legacy(`${gateway.url}/mcp`, key.secret)).toolNames();
    await setTimeout(1_100);
    const event = await stream.next();
    if (event === null || event.event === 'end') ended = event?.event ?? 'closed';
  }
  expect(ended).toBe('end');
});

const ELSEWHERE = '203.0.113.7';

/** Sends a request without a client, which would not send one that is bound to fail. */
const send = (secret: string | null, address?: string) =>
  fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(secret === null ? {} : { 'x-api-key': secret }),
      ...(address === undefined ? {} : { 'x-forwarded-for': address }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });

/** Repeats an act until the stream has an event: gateways learn at some time what is watched. */
async function eventAfter<Event>(stream: { next(): Promise<Event> }, act: () => Promise<unknown>) {
  const seen = new AbortController();
  const event = stream.next().finally(() => seen.abort());
  while (!seen.signal.aborted) {
    await act();
    await setTimeout(50);
  }
  return event;
}

test('the use of a revoked key is shown to its person alone, with status and code', async () => {
  const [key, bobsKey] = [await createKey(ada), await createKey(bob)];
  const [adas, bobs] = [await watch(other, ada), await watch(gateway, bob)];
  const path = `/api/keys/${key.id}`;
  await ada.person.ask({ method: 'DELETE', path, headers: ada.bearer });

  expect((await send(`${key.secret}x`)).status).toBe(401);
  expect((await eventAfter(adas, () => send(key.secret)))?.data).toMatchObject({
    ...{ credential_id: key.id, kind: 'refused', name: 'invalid_credential', status: 401 },
  });
  await (await legacy(`${gateway.url}/mcp`, bobsKey.secret)).toolNames();
  expect(await bobs.request()).toMatchObject({ credential_id: bobsKey.id, status: null });
});

test('a client without a credential is shown only to watchers at its address', async () => {
  const key = await createKey(bob);
  const [here, elsewhere] = [await watch(other, ada), await watch(other, bob, ELSEWHERE)];
  const discovery = { event: 'discovery_without_credential', data: { at: expect.any(String) } };

  expect((await send(null)).status).toBe(401);
  expect(await eventAfter(here, () => send(null))).toEqual(discovery);
  await (await legacy(`${gateway.url}/mcp`, key.secret)).toolNames();
  for (const kind of ['initialized', 'listed'])
    expect(await elsewhere.request()).toMatchObject({ credential_id: key.id, kind });
  expect(await eventAfter(elsewhere, () => send(null, ELSEWHERE))).toEqual(discovery);
});

test('requests of an account that nobody watches are not published', async () => {
  const dan = await signUp(world, gateway, 'dan');
  const { secret } = await createKey(dan);
  const redis = new Redis(world.env['REDIS_URL']!);
  onTestFinished(() => redis.disconnect());
  const published: string[] = [];
  redis.on('pmessage', (_pattern, channel: string) => void published.push(channel));
  await redis.psubscribe(`${world.env['REDIS_PREFIX']}connect:${dan.account_id}`);
  const listTools = async () => (await legacy(`${gateway.url}/mcp`, secret)).toolNames();

  await listTools();
  const stream = await watch(gateway, dan);
  await listTools();

  expect([(await stream.request()).kind, (await stream.request()).kind]).toEqual([
    'initialized',
    'listed',
  ]);
  await expect.poll(() => published.length).toBe(2);
});
