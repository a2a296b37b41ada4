import { expect, test } from 'vitest';
import { difference, PART_SIZE, splitDelta } from '../../../src/authz/tuple.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';

const of = (relation: string, key = 'k'): Tuple => ({
  user: `api_key:${key}`,
  relation,
  object: 'account:a',
});

test('a change contains only tuples that differ, each once', () => {
  const before = [of('runs_here'), of('declared_tools')];
  const after = [of('runs_here'), of('declared_agents'), of('declared_agents')];

  const delta = difference(before, after);

  expect(delta).toEqual({ deletes: [of('declared_tools')], writes: [of('declared_agents')] });
});

test('the root tuple is deleted first and written last', () => {
  const whole = [of('runs_here'), of('principal'), of('declared_tools')];

  expect(difference(whole, []).deletes[0]).toEqual(of('principal'));
  expect(difference([], whole).writes.at(-1)).toEqual(of('principal'));
});

test('a part leaves room for the fencing token in one Write, and deletes precede all writes', () => {
  const many = (name: string) => Array.from({ length: 150 }, (_, index) => of(name, `${index}`));

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
