import { expect, test } from 'vitest';
import { admittedOf, times, useBench } from './bench.ts';

test('one hundred concurrent calls through two gateways are admitted exactly up to the limit (P9 a)', async () => {
  const bench = await useBench({ plan: { month: 37 } });
  const gateways = [await bench.gateway(), await bench.gateway()];
  const owner = bench.owner();
  let turn = 0;

  const answers = await times(100, () => bench.call(gateways[turn++ % 2]!, owner));

  expect(admittedOf(answers)).toBe(37);
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  expect(await bench.counter(owner)).toBe(37);
  expect(await bench.ledger(owner)).toEqual({ rows: 37, total: 37 });
});

test('each window refuses calls at its own limit and returns its reset time (P9 a)', async () => {
  const bench = await useBench({ plan: { day: 5 } });
  const limits = await bench.gateway();
  const owner = bench.owner();
  await times(5, () => bench.call(limits, owner));

  const answer = await bench.call(limits, owner);

  const [seconds] = (await bench.redis.commands.time()).map(Number);
  expect(answer).toMatchObject({ admitted: false, window: 'day', limit: 5, session: null });
  const wait = 'retry_after_seconds' in answer ? answer.retry_after_seconds : 0;
  expect(Math.abs(wait - (86_400 - (seconds! % 86_400)))).toBeLessThan(3);
});

test('a refusal names the full window that resets last (B3-29)', async () => {
  const bench = await useBench({ plan: { minute: 2, hour: 2, day: 2, month: 2 } });
  const limits = await bench.gateway();
  const owner = bench.owner();
  await times(2, () => bench.call(limits, owner));

  expect(await bench.call(limits, owner)).toMatchObject({ window: 'month', limit: 2 });
});

test('concurrent calls of two kinds each count against their own limits (P9 d)', async () => {
  const bench = await useBench({ plan: { month: 3 } });
  const limits = await bench.gateway();
  const owner = bench.owner();
  await bench.call(limits, owner);

  const kinds = Array.from({ length: 10 }, (_, index) => (index % 2 ? 'tool_call' : 'system_call'));
  const answers = await Promise.all(kinds.map((kind) => bench.call(limits, owner, kind)));

  expect(admittedOf(answers)).toBe(5 + 2);
  const usage = await limits.usage(owner);
  expect(usage.month).toMatchObject({ limit: 3, used: 3 });
  expect(usage.windows.find(({ window }) => window === 'day')).toMatchObject({ used: 8 });
});

test('calls of a past window no longer count', async () => {
  const bench = await useBench({ plan: { hour: 2 } });
  const limits = await bench.gateway();
  const owner = bench.owner();
  await times(2, () => bench.call(limits, owner));
  const key = `${bench.redis.prefix}lim:{account:${owner.id}}:calls`;
  expect(await bench.call(limits, owner)).toMatchObject({ admitted: false, window: 'hour' });

  await bench.redis.commands.hincrby(key, 'hour_at', -1);

  expect(admittedOf(await times(5, () => bench.call(limits, owner)))).toBe(2);
});

test('refused calls and reads are not counted; system calls count only in the windows (P9 d)', async () => {
  const bench = await useBench({ plan: { month: 3, day: 7 } });
  const limits = await bench.gateway();
  const owner = bench.owner();

  await times(2, () => bench.call(limits, owner, 'system_call'));
  await times(5, () => bench.call(limits, owner, 'content_read'));
  const answers = await times(6, () => bench.call(limits, owner));

  expect(admittedOf(answers)).toBe(3);
  const usage = await limits.usage(owner);
  expect(usage.windows.map(({ window, used }) => [window, used])).toEqual([
    ['minute', 5],
    ['hour', 5],
    ['day', 5],
  ]);
  expect(usage.month).toMatchObject({ limit: 3, used: 3 });
});

test('reads have their own window', async () => {
  const bench = await useBench({ plan: { month: 0 } });
  const limits = await bench.gateway();
  const owner = bench.owner();

  const answers = await times(310, () => bench.call(limits, owner, 'content_read'));

  expect(admittedOf(answers)).toBe(300);
  expect(answers.at(-1)).toMatchObject({ admitted: false, window: 'minute', limit: 300 });
});
