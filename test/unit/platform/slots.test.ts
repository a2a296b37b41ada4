import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { InFlight } from '../../../src/platform/concurrency/in-flight.ts';

test('iterates over values that were added and not removed, each once', () => {
  const slots = new InFlight<{ name: string }>();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => slots.add({ name }));

  slots.remove(b!);
  slots.remove(a!);
  slots.add({ name: 'd' });

  expect(namesIn(slots)).toEqual(['c', 'd']);
  expect(slots.size).toBe(2);
  slots.remove(c!);
  expect(namesIn(slots)).toEqual(['d']);
});

test('values may be removed during iteration', () => {
  const slots = new InFlight<{ slot: number }>();
  for (const value of Array.from({ length: 5 }, () => ({ slot: -1 })))
    value.slot = slots.add(value);

  const seen: number[] = [];
  slots.forEach((value) => {
    slots.remove(value.slot);
    seen.push(value.slot);
  });

  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(slots.size).toBe(0);
  expect(slots.add({ slot: 0 })).toBe(0);
});

test('removed values are garbage-collected while young, regardless of the age of the slots', () => {
  const slots = new InFlight<object>();
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

  // Twenty megabytes passed through; a Set or a Map would retain most of them.
  expect(oldBytes() - before).toBeLessThan(2_000_000);
});

function namesIn(slots: InFlight<{ name: string }>): string[] {
  const names: string[] = [];
  slots.forEach(({ name }) => void names.push(name));
  return names.toSorted();
}

function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  return () => gc({ type: 'minor' });
}

const oldBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith('old'))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
