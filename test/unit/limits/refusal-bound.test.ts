import { expect, test } from 'vitest';
import { createRefusalBound } from '../../../src/limits/ledger/refusal-bound.ts';

const owner = (id: string) => ({ kind: 'account', id }) as const;

test('at most 600 refusals per owner and minute are recorded; other owners count separately', () => {
  let now = 59_999;
  const { admits } = createRefusalBound(() => now);
  const admitted = (id: string) =>
    Array.from({ length: 700 }, () => admits(owner(id))).filter(Boolean);

  expect([admitted('a').length, admitted('a').length, admitted('b').length]).toEqual([600, 0, 600]);
  now = 60_000;
  expect(admitted('a').length).toBe(600);
});
