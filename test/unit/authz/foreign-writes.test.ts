import { expect, test } from 'vitest';
import { fencesIn, matchWrites } from '../../../src/authz/foreign-writes/matching.ts';
import type { TupleChange } from '../../../src/authz/foreign-writes/matching.ts';
import { readSettled } from '../../../src/authz/foreign-writes/reading.ts';
import type { ChangesFrom } from '../../../src/authz/engine/client.ts';
import type { Delta, Tuple } from '../../../src/authz/tuple.ts';

const ID = '0190aaaa-0000-7000-8000-000000000000';
const carried = (key: string): Tuple => ({
  user: `api_key:${key}`,
  relation: 'principal',
  object: `account:${ID}`,
});
const fence = (number: number): Tuple => ({
  user: `revision:${number}.0badcafe`,
  relation: 'at',
  object: `scope:account.${ID}`,
});

const at = (second: number, microseconds = 0) =>
  `2026-01-01T00:00:${String(second).padStart(2, '0')}.${String(microseconds).padStart(6, '0')}Z`;
const changesOf = ({ deletes, writes }: Delta, time: string): TupleChange[] => [
  ...deletes.map((tuple) => ({ operation: 'delete' as const, tuple, at: time })),
  ...writes.map((tuple) => ({ operation: 'write' as const, tuple, at: time })),
];

/** The Write that advances the scope from one fencing token to the next, and writes a key. */
const write = (number: number, key = String(number)): Delta => ({
  deletes: number === 1 ? [] : [fence(number - 1)],
  writes: [carried(key), fence(number)],
});

test('the changes of our Writes are matched, in any order of ids', () => {
  const [first, second] = [write(1), write(2)];
  const changes = [...changesOf(first, at(1)), ...changesOf(second, at(2))];
  const interleaved = [0, 2, 1, 3, 4].map((index) => changes[index]!);

  const matched = matchWrites(interleaved, [second, first]);

  expect(matched.foreign).toEqual([]);
  expect(new Set(matched.found)).toEqual(new Set([first, second]));
});

test('a change without our fencing token is foreign, even if one of our Writes has the same tuple', () => {
  const [foreign] = changesOf({ deletes: [], writes: [carried('1')] }, at(3));

  const matched = matchWrites([...changesOf(write(1), at(1)), foreign!], [write(1)]);

  expect(matched.foreign).toEqual([foreign]);
});

test('a foreign change in the microsecond of one of our Writes is found', () => {
  const [foreign] = changesOf({ deletes: [carried('9')], writes: [] }, at(1));

  const matched = matchWrites([foreign!, ...changesOf(write(1), at(1))], [write(1)]);

  expect(matched.foreign).toEqual([foreign]);
});

test('a fencing token of ours that is written alone, or with other tuples, is foreign', () => {
  const alone = changesOf({ deletes: [], writes: [fence(1)] }, at(1));
  const other = changesOf({ deletes: [], writes: [carried('7'), fence(1)] }, at(2));

  const matched = matchWrites([...alone, ...other], [write(1)]);

  expect(matched.foreign).toEqual([...alone, ...other]);
});

test('a Write of ours that appears twice is foreign the second time', () => {
  const again = changesOf(write(1), at(2));

  const matched = matchWrites([...changesOf(write(1), at(1)), ...again], [write(1)]);

  expect(matched.foreign).toEqual(again);
});

test('only written fencing tokens of scopes name parts of the outbox', () => {
  const changes = [
    ...changesOf({ deletes: [fence(1)], writes: [fence(2), carried('k')] }, at(1)),
    ...changesOf({ deletes: [], writes: [{ ...fence(3), object: 'scope:account.me' }] }, at(1)),
  ];

  expect(fencesIn(changes)).toEqual([{ kind: 'account', id: ID, fence: '2.0badcafe' }]);
});

/** A change log; tokens are numbers of changes. */
function createLog(changes: readonly TupleChange[]) {
  const sizes: number[] = [];
  return {
    sizes,
    async readChanges({ token }: ChangesFrom, size: number) {
      const from = Number(token ?? 0);
      sizes.push(size);
      const page = changes.slice(from, from + size);
      return { changes: page, token: page.length === 0 ? token : String(from + page.length) };
    },
  };
}

const begin = { token: null, begins_at: at(0) };
const change = (time: string, key = 'k') =>
  changesOf({ deletes: [], writes: [carried(key)] }, time)[0]!;
const recent = () => new Date().toISOString();
const before = () => Date.now() - 10_000;

test('changes are read up to the first that is not settled, and then from there', async () => {
  const young = recent();
  const log = createLog([change(at(1)), change(at(2)), change(young), change(at(3))]);

  const settled = await readSettled(log, begin, before());
  const later = await readSettled(log, { ...begin, token: settled.token }, Date.now() + 1_000);

  expect(settled).toMatchObject({ token: '2', hasMore: false });
  expect(settled.changes).toHaveLength(2);
  expect(later.changes.map((one) => one.at)).toEqual([young, at(3)]);
});

test('a log without settled changes is left where it is', async () => {
  const log = createLog([change(recent())]);

  const settled = await readSettled(log, { ...begin, token: '0' }, before());

  expect(settled).toEqual({ changes: [], token: '0', hasMore: false });
  expect(await readSettled(createLog([]), begin, before())).toMatchObject({
    token: null,
    changes: [],
  });
});

test('reading ends between Writes, however their changes are mixed', async () => {
  const [one, two] = [at(1, 1), at(1, 2)];
  const young = recent();
  // The second Write has the ids around the young one, and the first is mixed with the second.
  const log = createLog([
    ...[change(at(0)), change(one), change(two), change(one)],
    ...[change(young), change(two)],
  ]);

  const settled = await readSettled(log, begin, before());

  expect(settled).toMatchObject({ changes: [change(at(0))], token: '1' });
});

test('a long log is read in whole Writes, each change once', async () => {
  const changes = Array.from({ length: 4_321 }, (_, index) =>
    change(at(1, Math.floor(index / 7)), String(index)),
  );
  const log = createLog(changes);
  const read: TupleChange[] = [];
  let position: { token: string | null; begins_at: string } = begin;
  let hasMore = true;
  while (hasMore) {
    const settled = await readSettled(log, position, before());
    read.push(...settled.changes);
    const [last, next] = [read.at(-1)!.at, changes[read.length]?.at];
    expect(next).not.toBe(last);
    position = { ...position, token: settled.token };
    ({ hasMore } = settled);
  }

  expect(read).toEqual(changes);
});
