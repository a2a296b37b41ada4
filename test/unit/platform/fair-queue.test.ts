import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFairQueue } from '../../../src/platform/concurrency/fair-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs one slot; `order` lists the keys in the order in which they got it. */
function createRuns(halfLifeMs?: number) {
  const queue = createFairQueue({
    ...{ size: 1, maxWaiting: 10, maxWaitingPerKey: 5, halfLifeMs },
    createBusyError: () => new Error('busy'),
  });
  const order: string[] = [];
  async function run(fairnessKey: string, ms: number) {
    const entry = { fairnessKey, signal: new AbortController().signal };
    await queue.enter(entry);
    order.push(fairnessKey);
    await new Promise((resolve) => void setTimeout(resolve, ms));
    queue.leave(entry);
  }
  return { order, run };
}

test('keys take turns, in the order in which they came', async () => {
  const { order, run } = createRuns();
  for (const key of ['a', 'a', 'b', 'b', 'c']) void run(key, 1_000);
  await vi.advanceTimersByTimeAsync(10_000);

  expect(order).toEqual(['a', 'a', 'b', 'c', 'b']);
});

test('with a half-life, the key that held slots for the least time comes first', async () => {
  const { order, run } = createRuns(60_000);
  for (const key of ['a', 'b']) void run(key, 10_000);
  await vi.advanceTimersByTimeAsync(20_000);
  for (const key of ['a', 'a', 'b', 'new']) void run(key, 5_000);
  await vi.advanceTimersByTimeAsync(30_000);

  // `a` gets the slot that is free.
  expect(order.slice(2)).toEqual(['a', 'new', 'b', 'a']);
});

test('what a key held long ago is forgotten', async () => {
  const { order, run } = createRuns(60_000);
  void run('a', 10_000);
  await vi.advanceTimersByTimeAsync(1_000_000);
  for (const key of ['b', 'a', 'c']) void run(key, 1_000);
  await vi.advanceTimersByTimeAsync(10_000);

  expect(order).toEqual(['a', 'b', 'a', 'c']);
});
