import { expect, test, vi } from 'vitest';
import { admittedOf, times, useBench } from './bench.ts';
import type { Bench } from './bench.ts';

/** Deletes all keys of the bench, like a flush, an eviction or a restart without data. */
async function emptyRedis(bench: Bench): Promise<void> {
  const { commands, prefix } = bench.redis;
  const keys = await commands.keys(`${prefix}*`);
  if (keys.length > 0) await commands.del(keys);
}

test('an emptied Redis is seeded from the ledger before the next call (F-R3, P9 c)', async () => {
  const bench = await useBench({ plan: { month: 20 } });
  const limits = await bench.gateway();
  const owner = bench.owner();
  await times(15, () => bench.call(limits, owner));
  await vi.waitFor(async () => expect(await bench.ledger(owner)).toEqual({ rows: 15, total: 15 }));

  await emptyRedis(bench);
  const answers = await times(20, () => bench.call(limits, owner));

  expect(admittedOf(answers)).toBe(5);
  expect(answers.find((answer) => !answer.admitted)).toMatchObject({ window: 'month', limit: 20 });
  await limits.stop();
  expect(await bench.counter(owner)).toBe(20);
  expect(await bench.ledger(owner)).toEqual({ rows: 20, total: 20 });
});

test("the seed includes the gateway's own calls that are not in the ledger yet", async () => {
  const bench = await useBench();
  const limits = await bench.gateway({ isStarted: false });
  const owner = bench.owner();
  await times(15, () => bench.call(limits, owner));

  await emptyRedis(bench);
  await bench.call(limits, owner);

  expect(await bench.ledger(owner)).toEqual({ rows: 0, total: 0 });
  expect(await bench.counter(owner)).toBe(16);
});

test('concurrent calls that find the month missing seed it once and add to it once (P9 b)', async () => {
  const bench = await useBench({ plan: { month: 70 } });
  const gateways = [await bench.gateway(), await bench.gateway()];
  const owner = bench.owner();
  let turn = 0;
  const call = () => bench.call(gateways[turn++ % 2]!, owner);
  await times(10, call);
  await vi.waitFor(async () => expect((await bench.ledger(owner)).total).toBe(10));

  await emptyRedis(bench);
  const answers = await times(100, call);

  expect(admittedOf(answers)).toBe(60);
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  expect(await bench.counter(owner)).toBe(70);
  expect(await bench.ledger(owner)).toEqual({ rows: 70, total: 70 });
});

test("a counter from an old snapshot is raised to the ledger's total, and never lowered (F-R6)", async () => {
  const bench = await useBench();
  const limits = await bench.gateway();
  const owner = bench.owner();
  const key = `${bench.redis.prefix}lim:{account:${owner.id}}:calls`;
  await times(9, () => bench.call(limits, owner));
  await vi.waitFor(async () => expect((await bench.ledger(owner)).total).toBe(9));

  await bench.redis.commands.hset(key, 'month', 2);
  await bench.call(limits, owner);

  // Raises are sent every two seconds.
  await vi.waitFor(async () => expect(await bench.counter(owner)).toBe(10), 10_000);
  await bench.redis.commands.hset(key, 'month', 50);
  await bench.call(limits, owner);
  await vi.waitFor(async () => expect((await bench.ledger(owner)).total).toBe(11));
  await limits.stop();
  expect(await bench.counter(owner)).toBe(51);
});

test("a new month starts with that month's ledger total", async () => {
  const bench = await useBench({ plan: { month: 3 } });
  const limits = await bench.gateway();
  const owner = bench.owner();
  await times(3, () => bench.call(limits, owner));
  expect(await bench.call(limits, owner)).toMatchObject({ window: 'month' });
  await vi.waitFor(async () => expect((await bench.ledger(owner)).total).toBe(3));

  // The state on the first of a month: the counter and the ledger are from last month.
  const key = `${bench.redis.prefix}lim:{account:${owner.id}}:calls`;
  await bench.redis.commands.hset(key, 'month_at', '2020-01');
  await bench.query(`UPDATE usage_month SET month = '2020-01-01' WHERE owner_id = $1`, [owner.id]);

  expect(admittedOf(await times(5, () => bench.call(limits, owner)))).toBe(3);
});

test('scripts that the server has forgotten are sent again', async () => {
  const bench = await useBench();
  const limits = await bench.gateway();
  const owner = bench.owner();
  await bench.call(limits, owner);

  await bench.redis.commands.script('FLUSH');

  expect(admittedOf(await times(10, () => bench.call(limits, owner)))).toBe(10);
  expect(await bench.counter(owner)).toBe(11);
});

test("the scripts compute the same months as JavaScript's Date", async () => {
  const bench = await useBench();
  const days = [0, 58, 59, 789, 11_016, 11_017, 20_818, 20_819, 20_820, 47_540, 47_541];
  for (let day = 20_000; day < 22_000; day += 1) days.push(day);
  const iso = (day: number) => new Date(day * 86_400_000).toISOString();
  const nextFirst = (day: number) => {
    const date = new Date(day * 86_400_000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 86_400_000;
  };

  const answers = await bench.redis.commands.eval(await calendarScript(), 0, ...days);

  expect(answers).toEqual(days.map((day) => `${iso(day).slice(0, 7)} ${nextFirst(day)}`));
});

async function calendarScript(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const file = new URL('../../../src/limits/counters/calendar.lua', import.meta.url);
  return `${await readFile(file, 'utf8')}
    local answers = {}
    for at, day in ipairs(ARGV) do
      local month, next_first = month_of(tonumber(day))
      answers[at] = month .. ' ' .. next_first
    end
    return answers`;
}
