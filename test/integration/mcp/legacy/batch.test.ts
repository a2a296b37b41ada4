import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useWorld } from '../../../support/worlds/world.ts';
import { createKeyHolder } from '../key-holder.ts';
import { eventReader, openSession, request, send } from './client.ts';
import { slowGateway } from './world.ts';
import type { Ends } from './world.ts';

test('a list request gets the same response in a batch as alone', async () => {
  const world = await useWorld();
  const ada = await createKeyHolder(world, await world.gateway());
  await ada.select(['calculator']);
  const { secret } = await ada.createKey();
  const version = '2025-03-26';
  const session = await openSession(ada.endpoint, secret, version);
  const post = async (body: unknown) =>
    (await send(ada.endpoint, secret, { session, version, body })).json();

  const alone = await post(request('tools/list', {}, 'a'));
  const batched = await post([request('tools/list', {}, 'a'), request('ping', {}, 'b')]);

  expect(alone).toMatchObject({ id: 'a', result: { tools: expect.any(Array) } });
  expect(batched).toEqual([alone, { jsonrpc: '2.0', id: 'b', result: {} }]);
});

test('after a key is revoked during a batch, its later messages do not run (A5)', async () => {
  const ends: Ends = new Map();
  const world = await useWorld();
  const gateway = await world.gateway(slowGateway(ends));
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['slow']);
  const key = await ada.createKey();
  const version = '2025-03-26';
  const session = await openSession(ada.endpoint, key.secret, version);
  const call = (tag: string, ms: number) =>
    request('tools/call', { name: 'slow', arguments: { tag, ms } }, tag);

  const body = [call('first', 2_500), call('second', 1), call('third', 1)];
  const pendingResponse = send(ada.endpoint, key.secret, { session, version, body });
  await pause(500);
  await ada.revoke(key.id);
  const events = eventReader(await pendingResponse);
  const read = [await events.next(), await events.next(), await events.next()];

  expect(read.map((event) => JSON.parse(event!.data))).toMatchObject([
    { id: 'first', result: { content: [{ text: 'done first' }] } },
    { id: 'second', error: { data: { code: 'invalid_credential' } } },
    { id: 'third', error: { data: { code: 'invalid_credential' } } },
  ]);
  expect([...ends.keys()]).toEqual(['first']);
});
