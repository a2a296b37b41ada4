import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CancellationSource } from '../../../src/mcp/protocol/cancellation.ts';
import { Deadline, ENDED } from '../../../src/mcp/calls/deadline.ts';

const never = () => new Promise<never>(() => {});

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('work that completes in the same turn needs no timer and no listener', async () => {
  const client = new CancellationSource();
  const onCancel = vi.spyOn(client, 'onCancel');

  const result = await new Deadline(client, 1_000).race(Promise.resolve('done'));
  await setImmediate();

  expect(result).toBe('done');
  expect(vi.getTimerCount()).toBe(0);
  expect(onCancel).not.toHaveBeenCalled();
});

test('work that exceeds its time is ended and its signal aborted', async () => {
  const deadline = new Deadline(new CancellationSource(), 1_000);
  const { signal } = deadline;
  const result = deadline.race(never());
  await setImmediate();

  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);

  expect(await result).toBe(ENDED);
  expect(signal.aborted).toBe(true);
});

test.each([
  ['before the work begins', 'before'],
  ['in the turn in which it begins', 'same turn'],
  ['later', 'later'],
])('a client that leaves %s ends the work', async (_name, when) => {
  const client = new CancellationSource();
  if (when === 'before') client.cancel();
  const deadline = new Deadline(client, 1_000);
  const { signal } = deadline;
  const result = deadline.race(never());
  if (when === 'same turn') client.cancel();
  await setImmediate();
  if (when === 'later') client.cancel();

  expect(await result).toBe(ENDED);
  expect(signal.aborted).toBe(true);
});

test('work of a client that has already left is ended, even if it completes at once', async () => {
  const client = new CancellationSource();
  client.cancel();

  expect(await new Deadline(client, 1_000).race(Promise.resolve('done'))).toBe(ENDED);
});

test('work that fails later rejects the race and leaves no timer', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const result = new Deadline(new CancellationSource(), 1_000).race(promise);
  await setImmediate();
  expect(vi.getTimerCount()).toBe(1);

  reject(new Error('broken'));

  await expect(result).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});
