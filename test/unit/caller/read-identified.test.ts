import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { identifyNow, readFrom } from '../../../src/caller/read-identified.ts';

test('the age of an identification counts from before its read, however long that takes', async () => {
  const began = performance.now();
  const { read_at } = await identifyNow(() => pause(50));

  expect(read_at - began).toBeLessThan(40);
});

test.each([
  ['a slow body', 300, 2],
  ['a quick body, even if identifying is slow', 0, 1],
])('the sender of %s is identified as often as needed', async (_, bodyMs, expected) => {
  let reads = 0;
  const identify = async () => {
    reads += 1;
    if (bodyMs === 0) await pause(300);
  };

  const first = await identifyNow(identify);
  const { body_ms } = await readFrom(first, identify, () => pause(bodyMs));

  expect(reads).toBe(expected);
  expect(Math.abs(body_ms - bodyMs)).toBeLessThan(150);
});
