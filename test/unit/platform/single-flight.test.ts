import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSingleFlight } from '../../../src/platform/concurrency/single-flight.ts';

test('work runs once at a time, and callers share the next run', async () => {
  const runs = { now: 0, most: 0, count: 0 };
  const run = createSingleFlight(async () => {
    runs.count += 1;
    runs.most = Math.max(runs.most, (runs.now += 1));
    await pause(5);
    runs.now -= 1;
  });

  const first = run();
  await pause(1);
  await Promise.all([first, ...Array.from({ length: 5_000 }, () => run())]);

  expect(runs).toEqual({ now: 0, most: 1, count: 2 });
});

test('a run that fails is reported to its callers only', async () => {
  let failures = 1;
  const run = createSingleFlight(async () => {
    await pause(5);
    if ((failures -= 1) >= 0) throw new Error('no answer');
  });

  const first = run();
  await pause(1);
  const second = run();

  await expect(first).rejects.toThrow('no answer');
  await expect(second).resolves.toBeUndefined();
});
