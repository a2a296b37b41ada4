import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createRedis } from '../../src/platform/redis.ts';
import { createProxy } from '../support/proxy.ts';

const COMMANDS = 20;

async function useLink() {
  const proxy = await createProxy(inject('redisUrl'));
  const link = createRedis(proxy.url, `t${randomUUID().slice(0, 8)}:`, () => {});
  onTestFinished(async () => {
    await link.close();
    await proxy.close();
  });
  await link.ready(5_000);
  const ask = () =>
    Promise.all(Array.from({ length: COMMANDS }, () => link.commands.incr(`${link.prefix}n`)));
  await ask();
  return { proxy, link, ask };
}

test('what one turn of the event loop asks of Redis leaves in one write', async () => {
  const { link, ask } = await useLink();
  const { stream } = link.commands as Redis;
  const single = vi.spyOn(stream, '_write');
  const gathered = vi.spyOn(stream, '_writev');

  const answers = await ask();

  expect([single, gathered].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  expect(answers).toEqual(Array.from({ length: COMMANDS }, (_, at) => COMMANDS + at + 1));
});

test('what the next turn asks does not wait for the answers of the one before', async () => {
  const { proxy, ask } = await useLink();
  proxy.delay(40);
  const before = proxy.requests();

  const first = ask();
  await turn();
  const second = ask();
  await first;

  expect(proxy.requests() - before).toBe(2);
  await second;
});

test('what is flushed does not wait for the end of the turn', async () => {
  const { link } = await useLink();
  const { stream } = link.commands as Redis;

  const answer = link.commands.incr(`${link.prefix}n`);
  expect(stream.writableLength).toBeGreaterThan(0);
  link.flush();
  expect(stream.writableLength).toBe(0);

  expect(await answer).toBe(COMMANDS + 1);
});

test('a connection that ends with commands held back answers each, and the next one serves', async () => {
  const { link } = await useLink();
  const { stream } = link.commands as Redis;

  const held = link.commands.incr(`${link.prefix}n`);
  stream.destroy();

  await expect(held).rejects.toThrow();
  await vi.waitFor(async () =>
    expect(await link.commands.incr(`${link.prefix}n`)).toBe(COMMANDS + 1),
  );
});
