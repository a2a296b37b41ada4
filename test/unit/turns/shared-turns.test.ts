import { expect, test } from 'vitest';
import { nextTurn } from '../../../src/platform/concurrency/turns.ts';

/** Takes turns for a key, and records each. */
async function work(key: string, turns: number, taken: string[]): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await nextTurn(key);
    taken.push(key);
  }
}

test('a tenant with much long work delays that of another by one turn for each of its own', async () => {
  const taken: string[] = [];

  await Promise.all([
    ...Array.from({ length: 20 }, () => work('busy', 3, taken)),
    work('other', 3, taken),
  ]);

  expect(taken.slice(0, 6)).toEqual(['busy', 'other', 'busy', 'other', 'busy', 'other']);
  expect(taken).toHaveLength(63);
});

test('no two computations share a turn of the event loop', async () => {
  const taken: string[] = [];
  const turns: number[] = [];
  let isOver = false;
  const watch = () => {
    turns.push(taken.length);
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);

  await Promise.all(['a', 'b', 'c'].map((key) => work(key, 4, taken)));
  isOver = true;

  const steps = turns.map((count, index) => count - (turns[index - 1] ?? 0));
  expect(Math.max(...steps)).toBe(1);
});
