import { describe, expect, test } from 'vitest';
import { readRedis } from '../../support/worlds/stored-texts.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createKeyHolder } from './key-holder.ts';
import { initializeBody, openSession, request, send } from './legacy/client.ts';

const { world, gateway } = await useGateway();
const ada = await createKeyHolder(world, gateway);
const { secret } = await ada.createKey();

const JSON_TYPES = ['text/json', 'APPLICATION/JSON', 'application/x+json; charset=utf-8'];
const OTHER_TYPES = [
  'text/plain',
  'text/plain; a=application/json',
  'application/jsonx',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'application/json, text/plain',
];

describe('content type', () => {
  const post = (type: string) =>
    send(ada.endpoint, secret, {
      body: initializeBody(),
      headers: { 'content-type': type },
    });

  test.each(JSON_TYPES)('%s is accepted as JSON (B3-3)', async (type) => {
    const answer = await post(type);
    await answer.body?.cancel();

    expect([answer.status, answer.headers.has('mcp-session-id')]).toEqual([200, true]);
  });

  test.each(OTHER_TYPES)('%s is refused and opens no session (B3-3)', async (type) => {
    const answer = await post(type);

    expect([answer.status, answer.headers.has('mcp-session-id')]).toEqual([415, false]);
    expect(await answer.json()).toMatchObject({
      id: null,
      error: { code: -32000, data: { code: 'unsupported_media_type' } },
    });
  });
});

test('a key has at most twenty sessions, regardless of how many are opened (B3-24)', async () => {
  const { id, secret: busy } = await ada.createKey();
  const countSessions = async () => {
    const keys = [...(await readRedis(world)).keys()];
    return keys.filter((key) => /:s:[^:]+$/.test(key)).length;
  };
  const before = await countSessions();
  for (let round = 0; round < 12; round += 1)
    await Promise.all(Array.from({ length: 10 }, () => openSession(ada.endpoint, busy)));
  const newest = await openSession(ada.endpoint, busy);
  const after = await countSessions();
  const answer = await send(ada.endpoint, busy, { session: newest, body: request('ping') });
  await ada.revoke(id);

  expect([after - before, answer.status]).toEqual([20, 200]);
});
