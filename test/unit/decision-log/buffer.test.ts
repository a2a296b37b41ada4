import { expect, test } from 'vitest';
import { createDecisionBuffer } from '../../../src/decision-log/buffer.ts';
import type { DecisionRow } from '../../../src/decision-log/row.ts';

const row = (id: string, reason: DecisionRow['reason'] = null, sampled = 1) =>
  ({ id, reason, sampled }) as DecisionRow;
const idsOf = (rows: readonly DecisionRow[]) => rows.map(({ id }) => id);

test('at capacity, an allowed decision is dropped and counted with what it stands for', () => {
  const buffer = createDecisionBuffer(2);
  for (const id of ['a', 'b', 'c']) buffer.add(row(id, null, 100));

  expect(buffer.size()).toBe(2);
  expect(buffer.dropped()).toEqual({ allowed: 100, denied: 0 });
  expect(idsOf(buffer.take(9))).toEqual(['a', 'b']);
});

test('at capacity, a denied decision takes the place of an allowed one, and is dropped only if there is none', () => {
  const buffer = createDecisionBuffer(2);
  buffer.add(row('a', null, 100));
  for (const id of ['x', 'y', 'z']) buffer.add(row(id, 'not_found'));

  expect(buffer.dropped()).toEqual({ allowed: 100, denied: 1 });
  expect(idsOf(buffer.take(9))).toEqual(['x', 'y']);
});

test('rows that are being sent count in the size, and keep their order if they must be sent again', () => {
  const buffer = createDecisionBuffer(3);
  for (const id of ['a', 'b']) buffer.add(row(id));
  const sent = buffer.take(2);
  for (const id of ['c', 'd']) buffer.add(row(id));
  expect([buffer.size(), buffer.dropped().allowed]).toEqual([3, 1]);

  buffer.putBack(sent);
  expect(idsOf(buffer.take(9))).toEqual(['a', 'b', 'c']);
  buffer.settle(sent);
  expect(buffer.size()).toBe(1);
});
