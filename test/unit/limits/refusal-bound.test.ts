import { expect, test } from 'vitest';
import { createRefusalBound } from '../../../src/limits/ledger/refusal-bound.ts';

const owner = (id: string) => ({ kind: 'account', id }) as const;

test('at most 600 refusals per owner and minute are recorded; other owners count separately', () => {
  let now = 59_999;
  const { admits } = createRefusalBound(() => now);
  const kept = (id: string) => Array.from({ length: 700 }, () => admits(owner(id))).filter(Boolean);

  expect([kept('a').length, kept('a').length, kept('b').length]).toEqual([600, 0, 600]);
  now = 60_000;
  expect(kept('a').length).toBe(600);
});
