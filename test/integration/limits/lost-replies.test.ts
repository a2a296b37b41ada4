import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createProxy } from '../../support/servers/proxy.ts';
import type { Loss } from '../../support/servers/proxy.ts';
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

test('a call with a late reply is counted once', async () => {
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
  await expectLiveGateways(bench, 1);
  const limits = await bench.gateway({ redisUrl: proxy.url });
  await expectLiveGateways(bench, 2);
  const owner = bench.owner();
  await bench.call(other, owner);

  const answers = [];
  for (let call = 0; call < 3; call += 1) {
    await vi.waitFor(() => limits.usage(owner), 5_000);
    proxy.loseReply(owner.id, 'cut');
    answers.push(await bench.call(limits, owner));
  }

  // Redis counted all three; locally, one of two gateways grants two of the day's four.
  expect(answers.map((answer) => answer.admitted)).toEqual([true, true, false]);
  await vi.waitFor(async () => {
    const usage = await limits.usage(owner);
    expect(usage.windows.map((window) => window.used)).toEqual([3, 3, 3]);
  }, 10_000);
  await Promise.all([limits.stop(), other.stop()]);
  expect(await bench.ledger(owner)).toEqual({ rows: 3, total: 3 });
  expect(await bench.counter(owner)).toBe(3);
});

async function expectLiveGateways(bench: Bench, count: number): Promise<void> {
  await vi.waitFor(async () => {
    const [row] = await bench.query('SELECT count(*)::int AS live FROM gateway_instance');
    expect(row?.['live']).toBe(count);
  });
}
