import { expect, test, vi } from 'vitest';
import type { QuotaOwner } from '../../../src/caller/principal.ts';
import type { AdmissionResult } from '../../../src/limits/counters/admission-batch.ts';
import { createCounters } from '../../../src/limits/counters/counters.ts';
import type { Counters, UnansweredCall } from '../../../src/limits/counters/counters.ts';
import { createBreaker } from '../../../src/platform/concurrency/breaker.ts';
import { newId } from '../../../src/platform/ids.ts';
import { times, useBench } from './bench.ts';

test('a release that arrives before its call prevents the call from being counted', async () => {
  const { bench, counters, owner, call, admitThree, placeOf } = await useBatch();

  const released = await counters.release(call, placeOf(2));
  const answers = await admitThree();

  expect(released).toEqual({ reply: null });
  expect(verdictsOf(answers)).toEqual(['admitted', 'released', 'admitted']);
  expect(await bench.counter(owner)).toBe(2);
});

test('a resent batch gets its first replies and is not counted again', async () => {
  const { bench, counters, owner, admitThree } = await useBatch({ month: 2 });

  const first = await admitThree();
  const again = await admitThree();

  expect(again).toEqual(first);
  expect(await bench.counter(owner)).toBe(2);
  expect(await usedOf(counters, owner)).toEqual({ minute: 2, hour: 2, day: 2 });
});

test('a call is released once, by its position: the other calls of its batch stay counted', async () => {
  const { bench, counters, owner, call, month, admitThree, placeOf } = await useBatch();
  await admitThree();

  const released = await times(2, () => counters.release(call, placeOf(3)));

  expect(released).toEqual([{ reply: month }, { reply: null }]);
  expect(await bench.counter(owner)).toBe(2);
  expect(await usedOf(counters, owner)).toEqual({ minute: 2, hour: 2, day: 2 });
});

test('a call is released by its position, regardless of the outcome of the others in its batch', async () => {
  const { bench, counters, call, owner, month, admitThree, placeOf } = await useBatch({ month: 1 });
  await counters.release(call, placeOf(1));
  const answers = await admitThree();
  const release = (at: number) => counters.release(call, placeOf(at));

  expect(verdictsOf(answers)).toEqual(['released', 'admitted', 'refused']);
  expect(await release(1)).toEqual({ reply: null });
  expect(await release(3)).toEqual({ reply: null });
  expect(await bench.counter(owner)).toBe(1);
  expect(await release(2)).toEqual({ reply: month });
  expect(await bench.counter(owner)).toBe(0);
});

test("a seed within a batch raises the month's counter to at least its value", async () => {
  const { bench, counters, owner, month } = await useBatch();
  const admit = (calls: number) =>
    counters.admit(
      { quota_owner: owner, kind: 'tool_call', call_id: newId() },
      { minute: 9, hour: 9, day: 9, month: 7 },
      { month, calls },
    );

  const answers = await Promise.all([0, 0, 5, 1, 6, 7].map(admit));

  // Two calls, a seed of five, its call; a seed of one lowers nothing, and its call is the last.
  expect(verdictsOf(answers)).toEqual([
    ...['admitted', 'admitted', 'admitted', 'admitted'],
    ...['refused', 'refused'],
  ]);
  expect(await bench.counter(owner)).toBe(7);
  expect(await usedOf(counters, owner)).toEqual({ minute: 4, hour: 4, day: 4 });
});

test('each refused call of a batch returns the window that was full for it', async () => {
  const { counters, owner, month } = await useBatch();
  const admit = (calls: number) =>
    counters.admit(
      { quota_owner: owner, kind: 'tool_call', call_id: newId() },
      { minute: 1, hour: 9, day: 9, month: 7 },
      { month, calls },
    );

  const answers = await Promise.all([0, 0, 7, 0].map(admit));

  expect(verdictsOf(answers)).toEqual(['admitted', 'refused', 'refused', 'refused']);
  const windows = answers.map((answer) =>
    'verdict' in answer && answer.verdict === 'decided' && !answer.admission.admitted
      ? answer.admission.window
      : null,
  );
  expect(windows).toEqual([null, 'minute', 'month', 'month']);
});

test('a batch is stored for ten minutes, or for thirty seconds if all its calls were refused', async () => {
  const { bench, counters, call, month, placeOf, admitThree } = await useBatch();
  const ttl = (batch: string) => bench.redis.commands.ttl(batch);
  const { batch } = placeOf(1);
  const otherId = newId();
  const otherCounters = createCounters(bench.redis, breaker, () => otherId);
  const closed = { minute: 0, hour: 9, day: 9, month: 9 };

  await admitThree();
  await otherCounters.admit(call, closed, { month, calls: 0 });
  const refused = batch.replace(/[^:]+$/, otherId);

  expect(await ttl(batch)).toBeGreaterThan(590);
  expect(await ttl(refused)).toBeGreaterThan(20);
  expect(await ttl(refused)).toBeLessThanOrEqual(30);
  await counters.release(call, { batch: refused, at: 1 });
  expect(await ttl(refused)).toBeGreaterThan(590);
});

test('a batch in which a call was released in advance is stored as long as the mark of the release', async () => {
  const { bench, counters, call, month, placeOf } = await useBatch();
  await counters.release(call, placeOf(1));

  await Promise.all(
    [1, 2].map(() =>
      counters.admit(call, { minute: 0, hour: 9, day: 9, month: 9 }, { month, calls: 0 }),
    ),
  );

  expect(await bench.redis.commands.ttl(placeOf(1).batch)).toBeGreaterThan(590);
});

test("a seed above the month's limit is stored although no call is counted", async () => {
  const { bench, counters, owner, month } = await useBatch();
  const full = { minute: 9, hour: 9, day: 9, month: 7 };

  const answer = await counters.admit(
    { quota_owner: owner, kind: 'tool_call', call_id: newId() },
    full,
    {
      month,
      calls: 8,
    },
  );

  expect(verdictsOf([answer])).toEqual(['refused']);
  expect(await bench.counter(owner)).toBe(8);
  expect(await usedOf(counters, owner)).toEqual({ minute: 0, hour: 0, day: 0 });
});

test('counters expire forty days after the last minute in which a call was counted', async () => {
  const { bench, owner, counters, call, month } = await useBatch();
  const { commands, prefix } = bench.redis;
  const key = `${prefix}lim:{account:${owner.id}}:calls`;
  const ownCounters = createCounters(bench.redis, breaker);
  const admit = () =>
    ownCounters.admit(call, { minute: 9, hour: 9, day: 9, month: 9 }, { month, calls: 0 });
  const days = async () => Math.round((await commands.ttl(key)) / 86_400);

  await admit();
  expect(await days()).toBe(40);
  await commands.expire(key, 86_400);
  await commands.hincrby(key, 'minute_at', -1);
  await admit();
  expect(await days()).toBe(40);
  expect(await usedOf(counters, owner)).toEqual({ minute: 1, hour: 2, day: 2 });
});

test('one script run counts calls of several owners, each against the owner’s own limits', async () => {
  const { bench, month } = await useBatch();
  const counters = createCounters(bench.redis, breaker);
  const owners = [bench.owner(), bench.owner(), bench.owner()];
  const calls = owners.flatMap((owner) => Array.from({ length: 4 }, () => owner));
  const scripts = vi.spyOn(bench.redis.commands, 'evalsha');
  const full = { minute: 9, hour: 9, day: 9, month: 6 };
  const admit = (quota_owner: QuotaOwner) =>
    counters.admit({ quota_owner, kind: 'tool_call', call_id: newId() }, full, {
      month,
      // Previous use: the first owner is full, the second has two calls left, the third four.
      calls: 6 - owners.indexOf(quota_owner) * 2,
    });

  const answers = await Promise.all(calls.map(admit));

  expect(scripts).toHaveBeenCalledTimes(1);
  const [no, yes] = ['refused', 'admitted'];
  expect(verdictsOf(answers)).toEqual([no, no, no, no, yes, yes, no, no, yes, yes, yes, yes]);
  expect(await Promise.all(owners.map(bench.counter))).toEqual([6, 6, 6]);
});

test('one script run raises the months of several owners and lowers none', async () => {
  const { bench, counters, month } = await useBatch();
  const owners = [bench.owner(), bench.owner(), bench.owner()];
  const admit = (quota_owner: QuotaOwner, calls: number) =>
    createCounters(bench.redis, breaker).admit(
      { quota_owner, kind: 'tool_call', call_id: newId() },
      { minute: 9, hour: 9, day: 9, month: 99 },
      { month, calls },
    );
  await admit(owners[0]!, 10);
  await admit(owners[1]!, 50);
  const scripts = vi.spyOn(bench.redis.commands, 'evalsha');

  await counters.raise(owners.map((quota_owner) => ({ quota_owner, month, calls: 20 })));

  expect(scripts).toHaveBeenCalledTimes(1);
  // A month missing in Redis stays missing until its next admission.
  expect(await Promise.all(owners.map(bench.counter))).toEqual([20, 51, null]);
});

/** Creates counters that send every batch under one id, as retries after a lost reply do. */
async function useBatch(limits: { month?: number } = {}) {
  const bench = await useBench();
  const id = newId();
  const counters = createCounters(bench.redis, breaker, () => id);
  const owner = bench.owner();
  const call = { quota_owner: owner, kind: 'tool_call', call_id: newId() } as const;
  const allowance = { minute: 9, hour: 9, day: 9, month: 9, ...limits };
  const month = new Date().toISOString().slice(0, 7);
  const admit = () => counters.admit(call, allowance, { month, calls: 0 });
  return {
    ...{ bench, counters, owner, call, month },
    admitThree: () => Promise.all([admit(), admit(), admit()]),
    placeOf: (at: number) => ({
      batch: `${bench.redis.prefix}lim:batch:${id}`,
      at,
    }),
  };
}

const verdictsOf = (answers: readonly (AdmissionResult | UnansweredCall)[]) =>
  answers.map((answer) => {
    if ('noReply' in answer) return 'unavailable';
    if (answer.verdict !== 'decided') return answer.verdict;
    return answer.admission.admitted ? 'admitted' : 'refused';
  });

async function usedOf(counters: Counters, owner: QuotaOwner) {
  const answer = await counters.readUse(owner, 'tool_call');
  if ('noReply' in answer) throw new TypeError('Redis is available');
  const { minute, hour, day } = answer.reply;
  return { minute: minute.used, hour: hour.used, day: day.used };
}

const breaker = createBreaker({ now: () => performance.now(), onOpen() {}, onClose() {} });

test('a batch stores equal replies once', async () => {
  const { bench, counters, call, month, placeOf } = await useBatch();
  const closed = { minute: 0, hour: 9, day: 9, month: 9 };
  const open = { minute: 9, hour: 9, day: 9, month: 9 };
  const seed = { month, calls: 0 };

  const answers = await Promise.all([
    counters.admit(call, open, seed),
    ...Array.from({ length: 60 }, () => counters.admit(call, closed, seed)),
  ]);

  expect(answers.length).toBe(61);
  const stored = await bench.redis.commands.get(placeOf(1).batch);
  expect(stored!.match(/"refused"/g)).toHaveLength(1);
});
