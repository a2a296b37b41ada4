import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Limits } from '../../../src/limits/limits.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { admittedOf, FACTS, times, useBench } from './bench.ts';
import type { Bench } from './bench.ts';
import { useOwnRedis } from './own-redis.ts';

async function useProxy() {
  const proxy = await createProxy(inject('redisUrl'));
  onTestFinished(proxy.close);
  return proxy;
}

/** Waits until Redis responds to this gateway again. */
const waitForRedis = (bench: Bench, limits: Limits) =>
  vi.waitFor(() => limits.usage(bench.owner()), 10_000);

test('without Redis, each gateway grants its share of a window (F-R2)', async () => {
  const proxy = await useProxy();
  const bench = await useBench({ plan: { day: 11 } });
  await bench.gateway();
  await vi.waitFor(async () => {
    const rows = await bench.query('SELECT FROM gateway_instance');
    expect(rows).toHaveLength(1);
  });
  const second = await bench.gateway({ redisUrl: proxy.url });
  await vi.waitFor(async () => {
    const rows = await bench.query('SELECT FROM gateway_instance');
    expect(rows).toHaveLength(2);
  });
  const owner = bench.owner();
  proxy.down();

  const answers = await times(40, () => bench.call(second, owner));

  expect(admittedOf(answers)).toBe(6);
  expect(answers.at(-1)).toMatchObject({ admitted: false, window: 'day', limit: 11 });
});

test("a gateway keeps its heartbeat during a long sweep, so that no other gateway's share grows (F-R2)", async () => {
  const bench = await useBench();
  await bench.query(`CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END $$`);
  await bench.query(`CREATE TRIGGER doze AFTER DELETE ON usage_day
    FOR EACH STATEMENT EXECUTE FUNCTION doze()`);
  await bench.query(`INSERT INTO usage_day (owner_kind, owner_id, day, item_id, item_name, calls)
    SELECT 'account', gen_random_uuid(), now() - '2 years'::interval, 'hash', 'hash', 1
    FROM generate_series(1, 4500)`);
  const isSeenAgain = `SELECT FROM gateway_instance
    WHERE seen_at > started_at AND EXISTS (SELECT FROM usage_day)`;

  await bench.gateway();

  await expect.poll(() => bench.query(isSeenAgain), { timeout: 10_000 }).toHaveLength(1);
});

test('without Redis, the month comes from the ledger and stays exact (F-R2, P9 c)', async () => {
  const proxy = await useProxy();
  const bench = await useBench({ plan: { month: 12 } });
  const limits = await bench.gateway({ redisUrl: proxy.url });
  const owner = bench.owner();
  await times(4, () => bench.call(limits, owner));
  proxy.down();

  const answers = await times(60, () => bench.call(limits, owner));

  expect(admittedOf(answers)).toBe(8);
  expect(answers.find((answer) => !answer.admitted)).toMatchObject({ window: 'month', limit: 12 });
  proxy.pass();
  await waitForRedis(bench, limits);
  expect(await bench.call(limits, owner)).toMatchObject({ admitted: false, window: 'month' });
  await limits.stop();
  expect(await bench.ledger(owner)).toEqual({ rows: 12, total: 12 });
  expect(await bench.counter(owner)).toBe(12);
});

test('a Redis that hangs is tried a few times and then skipped (F-R2)', async () => {
  const proxy = await useProxy();
  const bench = await useBench();
  const limits = await bench.gateway({ redisUrl: proxy.url, isStarted: false });
  const owner = bench.owner();
  await bench.call(limits, owner);
  proxy.stall();
  const before = proxy.requests();

  const answers = [];
  for (let call = 0; call < 200; call += 1) answers.push(await bench.call(limits, owner));

  expect(admittedOf(answers)).toBe(200);
  expect(proxy.requests() - before).toBeLessThan(20);
  expect(limits.isDegraded()).toBe(true);
  proxy.pass();
  await waitForRedis(bench, limits);
  expect(limits.isDegraded()).toBe(false);
});

test("without Redis, a session's state is unknown and its call is not counted (B3-27)", async () => {
  const proxy = await useProxy();
  const bench = await useBench();
  const limits = await bench.gateway({ redisUrl: proxy.url });
  const owner = bench.owner();
  proxy.down();

  const admission = await limits.admit({
    facts: FACTS,
    quota_owner: owner,
    kind: 'tool_call',
    call_id: newId(),
    session: { key: 'mcp:s', credential: 'c', version: null, lifetime_seconds: 60 },
  });

  expect(admission).toEqual({ session: { status: 'unknown' }, admitted: false, window: null });
  await limits.stop();
  expect(await bench.ledger(owner)).toEqual({ rows: 0, total: 0 });
});

const faults: [string, string[][], string[]][] = [
  ['out of memory', [['CONFIG', 'SET', 'maxmemory', '1']], ['CONFIG', 'SET', 'maxmemory', '0']],
  ['read-only', [['REPLICAOF', '127.0.0.1', '1']], ['REPLICAOF', 'NO', 'ONE']],
  [
    'unable to save (MISCONF)',
    [['CONFIG', 'SET', 'dir', '/proc'], ['CONFIG', 'SET', 'save', '3600 1'], ['BGSAVE']],
    ['CONFIG', 'SET', 'save', ''],
  ],
];
test.for(faults)(
  'with a Redis that is %s, calls are limited locally (F-R4)',
  async ([, fault, cure]) => {
    const own = await useOwnRedis();
    const bench = await useBench({ redisUrl: own.url, plan: { month: 12 } });
    const limits = await bench.gateway();
    const owner = bench.owner();
    await times(2, () => bench.call(limits, owner));

    for (const [command, ...values] of fault) await own.admin.call(command!, ...values);
    const refuses = () =>
      own.admin.set('any', 'thing').then(
        () => false,
        () => true,
      );
    await expect.poll(refuses).toBe(true);
    const answers = await times(30, () => bench.call(limits, owner));

    expect(admittedOf(answers)).toBe(10);
    await own.admin.call(cure[0]!, ...cure.slice(1));
    await waitForRedis(bench, limits);
    await limits.stop();
    expect(await bench.counter(owner)).toBe(12);
  },
);
