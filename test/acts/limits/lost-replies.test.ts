import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Owner } from '../../../src/caller/caller.ts';
import { createCounters } from '../../../src/limits/counters.ts';
import type { Counters } from '../../../src/limits/counters.ts';
import { createBreaker } from '../../../src/platform/breaker.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createProxy } from '../../support/proxy.ts';
import type { Loss } from '../../support/proxy.ts';
import { admittedOf, times, useBench } from './bench.ts';
import type { Bench } from './bench.ts';

async function useProxy() {
  const proxy = await createProxy(inject('redisUrl'));
  onTestFinished(proxy.close);
  return proxy;
}

for (const how of ['cut', 'mute'] satisfies Loss[])
  test(`a call whose reply is lost (${how}) is counted once (F-R1, P9 b)`, async () => {
    const proxy = await useProxy();
    const bench = await useBench({ plan: { month: 1_000 } });
    const limits = await bench.gateway({ redisUrl: proxy.url });
    const owner = bench.owner();
    await bench.call(limits, owner);

    const answers = [];
    for (let round = 0; round < 5; round += 1) {
      proxy.loseReply(owner.id, how);
      answers.push(...(await times(8, () => bench.call(limits, owner))));
      await vi.waitFor(() => limits.usage(owner), 10_000);
    }

    expect(proxy.lost()).toBeGreaterThanOrEqual(5);
    expect(admittedOf(answers)).toBe(40);
    await limits.stop();
    expect(await bench.ledger(owner)).toEqual({ rows: 41, total: 41 });
    expect(await bench.counter(owner)).toBe(41);
  });

test('a late reply is no second call', async () => {
  const proxy = await useProxy();
  const bench = await useBench();
  const limits = await bench.gateway({ redisUrl: proxy.url });
  const owner = bench.owner();
  await bench.call(limits, owner);
  proxy.delay(220);

  const answer = await bench.call(limits, owner);

  proxy.pass();
  expect(answer).toMatchObject({ admitted: true });
  await limits.stop();
  expect(await bench.counter(owner)).toBe(2);
  expect(await bench.ledger(owner)).toEqual({ rows: 2, total: 2 });
});

test('a call that was counted and then refused is released (F-R1)', async () => {
  const proxy = await useProxy();
  const bench = await useBench({ plan: { day: 4 } });
  const other = await bench.gateway();
  await expectLive(bench, 1);
  const limits = await bench.gateway({ redisUrl: proxy.url });
  await expectLive(bench, 2);
  const owner = bench.owner();
  await bench.call(other, owner);

  const answers = [];
  for (let call = 0; call < 3; call += 1) {
    await vi.waitFor(() => limits.usage(owner), 5_000);
    proxy.loseReply(owner.id, 'cut');
    answers.push(await bench.call(limits, owner));
  }

  // Redis counted all three; alone, one of two gateways grants two of the day's four.
  expect(answers.map((answer) => answer.admitted)).toEqual([true, true, false]);
  await vi.waitFor(async () => {
    const usage = await limits.usage(owner);
    expect(usage.windows.map((window) => window.used)).toEqual([3, 3, 3]);
  }, 10_000);
  await Promise.all([limits.stop(), other.stop()]);
  expect(await bench.ledger(owner)).toEqual({ rows: 3, total: 3 });
  expect(await bench.counter(owner)).toBe(3);
});

test('a release that comes before its call forestalls the count', async () => {
  const { bench, counters, owner, call, admitThree, placeOf } = await useBatch();

  const released = await counters.release(call, placeOf(2));
  const answers = await admitThree();

  expect(released).toEqual({ reply: null });
  expect(answers.map((answer) => ('verdict' in answer ? answer.verdict : 'away'))).toEqual([
    'decided',
    'released',
    'decided',
  ]);
  expect(await bench.counter(owner)).toBe(2);
});

test('a batch that comes again gets its first answers and is not counted again', async () => {
  const { bench, counters, owner, admitThree } = await useBatch({ month: 2 });

  const first = await admitThree();
  const again = await admitThree();

  expect(again).toEqual(first);
  expect(await bench.counter(owner)).toBe(2);
  expect(await usedOf(counters, owner)).toEqual({ minute: 2, hour: 2, day: 2 });
});

test('a call is released once, and by its place: the others of its batch stay counted', async () => {
  const { bench, counters, owner, call, month, admitThree, placeOf } = await useBatch();
  await admitThree();

  const released = await times(2, () => counters.release(call, placeOf(3)));

  expect(released).toEqual([{ reply: month }, { reply: null }]);
  expect(await bench.counter(owner)).toBe(2);
  expect(await usedOf(counters, owner)).toEqual({ minute: 2, hour: 2, day: 2 });
});

/** Counters that ask every batch under one id, as they ask again what got no answer. */
async function useBatch(limits: { month?: number } = {}) {
  const bench = await useBench();
  const id = newId();
  const counters = createCounters(bench.redis, breaker, () => id);
  const owner = bench.owner();
  const call = { owner, kind: 'tool_call', call_id: newId() } as const;
  const allowance = { minute: 9, hour: 9, day: 9, month: 9, ...limits };
  const month = new Date().toISOString().slice(0, 7);
  const admit = () => counters.admit(call, allowance, { month, calls: 0 });
  return {
    ...{ bench, counters, owner, call, month },
    admitThree: () => Promise.all([admit(), admit(), admit()]),
    placeOf: (at: number) => ({
      batch: `${bench.redis.prefix}lim:{account:${owner.id}}:batch:${id}`,
      at,
    }),
  };
}

async function usedOf(counters: Counters, owner: Owner) {
  const answer = await counters.use(owner, 'tool_call');
  if ('away' in answer) throw new TypeError('Redis is there');
  const { minute, hour, day } = answer.reply;
  return { minute: minute.used, hour: hour.used, day: day.used };
}

const breaker = createBreaker({ now: () => performance.now(), opened() {}, closed() {} });

async function expectLive(bench: Bench, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const [row] = await bench.query('SELECT count(*)::int AS live FROM gateway_instance');
    expect(row?.['live']).toBe(count);
  });
}
