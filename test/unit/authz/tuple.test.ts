import { expect, test } from 'vitest';
import { difference, PART_SIZE, splitDelta } from '../../../src/authz/tuple.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';

const tupleWith = (relation: string, key = 'k'): Tuple => ({
  user: `api_key:${key}`,
  relation,
  object: 'account:a',
});

test('a change contains only tuples that differ, each once', () => {
  const before = [tupleWith('runs_here'), tupleWith('declared_tools')];
  const after = [
    tupleWith('runs_here'),
    tupleWith('declared_agents'),
    tupleWith('declared_agents'),
  ];

  const delta = difference(before, after);

  expect(delta).toEqual({
    deletes: [tupleWith('declared_tools')],
    writes: [tupleWith('declared_agents')],
  });
});

test('the root tuple is deleted first and written last', () => {
  const all = [tupleWith('runs_here'), tupleWith('principal'), tupleWith('declared_tools')];

  expect(difference(all, []).deletes[0]).toEqual(tupleWith('principal'));
  expect(difference([], all).writes.at(-1)).toEqual(tupleWith('principal'));
});

test('a part leaves room for the fencing token in one Write, and deletes precede all writes', () => {
  const many = (name: string) =>
    Array.from({ length: 150 }, (_, index) => tupleWith(name, `${index}`));

  const parts = splitDelta({ deletes: many('carried_tools_read'), writes: many('principal') });

  expect(parts.map((part) => [part.deletes.length, part.writes.length])).toEqual([
    [PART_SIZE, 0],
    [52, 46],
    [0, PART_SIZE],
    [0, 6],
  ]);
});

test('a change without tuples still has one part, for the fencing token', () => {
  expect(splitDelta({ deletes: [], writes: [] })).toEqual([{ deletes: [], writes: [] }]);
});
