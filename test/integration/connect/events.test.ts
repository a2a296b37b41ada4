import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ConnectEvent } from '../../../src/connect/schema.ts';
import { openEvents } from '../../support/clients/event-stream.ts';
import { connectSdkV2 } from '../../support/clients/sdk-v2.ts';
import { oneAddress, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
let other: Gateway;
let ada: SignedUp;
let bob: SignedUp;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  gateway = await world.gateway();
  other = await world.gateway();
  ada = await signUp(world, gateway);
  bob = await signUp(world, gateway, 'bob');
});
afterAll(() => world?.close());

async function createKey({ person, bearer }: SignedUp) {
  const { status, body } = await person.ask<{ id: string; secret: string }>({
    path: '/api/keys',
    body: { name: `key ${Math.random()}`, mcp_capabilities: ['tools', 'prompts'] },
    headers: bearer,
  });
  expect(status).toBe(201);
  return body;
}

async function watch({ url }: Gateway, { bearer }: SignedUp) {
  const stream = await openEvents<ConnectEvent>(`${url}/api/connect/events`, bearer);
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
