import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createProxy } from '../../../support/servers/proxy.ts';
import { useWorld } from '../../../support/worlds/world.ts';
import { useRedisCluster } from '../../limits/own-redis.ts';
import { ask, createKeyHolder } from '../key-holder.ts';
import { eventReader, initializeBody, openSession, request, send } from './client.ts';

const calculate = request('tools/call', {
  name: 'calculator',
  arguments: { expression: '6*7' },
});

test('without Redis, MCP 2025 responds 503, never 404, and MCP 2026 still works (F-R2)', async () => {
  const proxy = await createProxy(inject('redisUrl'));
  onTestFinished(() => proxy.close());
  const world = await useWorld();
  const gateway = await world.gateway({ env: { REDIS_URL: proxy.url } });
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['calculator']);
  const { secret } = await ada.createKey();
  const session = await openSession(ada.endpoint, secret);
  await send(ada.endpoint, secret, { session, body: calculate });

  proxy.down();
  const bodies = [calculate, request('ping'), request('tools/list'), initializeBody()];
  const answers = await Promise.all(
    bodies.map((body, index) =>
      send(ada.endpoint, secret, { body, ...(index === 3 ? {} : { session }) }),
    ),
  );
  const stream = await send(ada.endpoint, secret, { method: 'GET', session });
  const ending = await send(ada.endpoint, secret, { method: 'DELETE', session });
  const modern = await ask(ada.endpoint, { 'x-api-key': secret }, 'tools/call', {
    name: 'calculator',
    arguments: { expression: '6*7' },
  });

  expect([...answers, stream, ending].map(({ status }) => status)).toEqual(
    Array.from({ length: 6 }, () => 503),
  );
  expect(answers[0]!.headers.get('retry-after')).toBe('1');
  expect(modern.body).toMatchObject({ result: { structuredContent: { result: 42 } } });
});

test('resuming an unreadable exchange gets a 503, not a partial stream, and takes no stream slot', async () => {
  const world = await useWorld();
  const gateway = await world.gateway();
  const ada = await createKeyHolder(world, gateway);
  const { secret } = await ada.createKey();
  const session = await openSession(ada.endpoint, secret);
  const redis = new Redis(world.env['REDIS_URL']!);
  onTestFinished(() => redis.disconnect());
  const [key] = await redis.keys(`${world.env['REDIS_PREFIX']}*:s:${session}`);
  await redis.set(`${key}:x:1`, 'no stream');
  const resume = (lastEventId: string) =>
    send(ada.endpoint, secret, {
      method: 'GET',
      session,
      headers: { 'last-event-id': lastEventId },
    });

  const refused = [];
  // One more than the open streams a session may have.
  for (let count = 0; count < 6; count += 1) refused.push(await resume('p1.1'));
  const fresh = await resume('p2.1');
  await fresh.body?.cancel();

  expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 503));
  expect(refused[0]!.headers.get('retry-after')).toBe('1');
  expect(fresh.status).toBe(200);
});

test('a session and its stream work on a Redis Cluster, on any instance', async () => {
  const cluster = await useRedisCluster();
  const world = await useWorld({ REDIS_URL: cluster.url });
  const here = await world.gateway();
  const there = await world.gateway();
  const ada = await createKeyHolder(world, here);
  const otherEndpoint = `${there.url}/mcp`;
  await ada.select(['calculator']);
  const { secret } = await ada.createKey();
  const session = await openSession(ada.endpoint, secret);
  const called = await send(otherEndpoint, secret, { session, body: calculate });
  const events = eventReader(await send(otherEndpoint, secret, { method: 'GET', session }));
  await events.next();
  await ada.select(['calculator', 'uuid']);
  const event = await events.next();
  await send(ada.endpoint, secret, { method: 'DELETE', session });

  expect(await called.json()).toMatchObject({ result: { structuredContent: { result: 42 } } });
  expect(event?.data).toContain('tools/list_changed');
  // After a lost Redis reply an unchanged list may be announced too; nothing else is sent.
  for (let last = await events.next(); last !== null; last = await events.next())
    expect(last.data).toContain('list_changed');
});
