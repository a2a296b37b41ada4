import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Slots } from '../../../src/platform/slots.ts';

test('holds what was added and not removed, once each', () => {
  const slots = new Slots<{ name: string }>();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => slots.add({ name }));

  slots.remove(b!);
  slots.remove(a!);
  slots.add({ name: 'd' });

  expect([...slots].map(({ name }) => name).toSorted()).toEqual(['c', 'd']);
  expect(slots.size).toBe(2);
  slots.remove(c!);
  expect([...slots]).toEqual([{ name: 'd' }]);
});

test('a removed value may be removed while the others are gone through', () => {
  const slots = new Slots<{ slot: number }>();
  for (const value of Array.from({ length: 5 }, () => ({ slot: -1 })))
    value.slot = slots.add(value);

  for (const value of slots) slots.remove(value.slot);

  expect(slots.size).toBe(0);
  expect([...slots]).toEqual([]);
});

test('what passed through is collected young, however old the slots are', () => {
  const slots = new Slots<object>();
  const collect = exposedGc();
  for (let round = 0; round < 4; round += 1) collect();
  const before = oldBytes();

  const waiting: number[] = [];
  for (let passed = 0; passed < 20_000; passed += 1) {
    waiting.push(slots.add({ kilobyte: Array.from({ length: 128 }, () => passed) }));
    if (waiting.length > 32) slots.remove(waiting.shift()!);
    if (passed % 500 === 0) collect();
  }
  collect();

  // Twenty megabytes went through; a Set or a Map keeps most of them.
  expect(oldBytes() - before).toBeLessThan(2_000_000);
});

function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  return () => gc({ type: 'minor' });
}

const oldBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith('old'))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
