import { expect, test } from 'vitest';
import { createGrouped } from '../../../src/platform/concurrency/grouped.ts';

/** A reader whose reads complete when the test ends them. */
function blockedReader() {
  const reads: { keys: string[]; end(): void; fail(error: Error): void }[] = [];
  const read = (keys: readonly string[]) =>
    new Promise<Map<string, string>>((resolve, reject) => {
      reads.push({
        keys: [...keys],
        end: () => resolve(new Map(keys.map((key) => [key, `value of ${key}`]))),
        fail: reject,
      });
    });
  return { reads, read };
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const limits = { inFlight: 2, batch: 3, waiting: 5 };

test('a single request is sent in the same turn of the event loop', async () => {
  const { reads, read } = blockedReader();
  const ask = createGrouped({ read, ...limits });

  void ask('a');
  await nextTurn();

  expect(reads.map(({ keys }) => keys)).toEqual([['a']]);
});

test('requests of one turn share a read, and so do requests queued while all reads are busy', async () => {
  const { reads, read } = blockedReader();
  const ask = createGrouped({ read, ...limits, inFlight: 1 });
  const answers = ['a', 'b'].map(ask);
  await nextTurn();
  answers.push(...['c', 'd', 'e', 'f'].map(ask));
  await nextTurn();

  expect(reads.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  reads[0]!.end();
  await nextTurn();
  expect(reads[1]!.keys).toEqual(['c', 'd', 'e']);
  reads[1]!.end();
  await nextTurn();
  reads[2]!.end();

  expect(await Promise.all(answers)).toEqual('abcdef'.split('').map((key) => `value of ${key}`));
});

test('a request does not join a read that is already running', async () => {
  const { reads, read } = blockedReader();
  const ask = createGrouped({ read, ...limits, inFlight: 1 });
  void ask('a');
  await nextTurn();

  const later = ask('a');
  const latest = ask('a');
  reads[0]!.end();
  await nextTurn();

  expect(reads[1]!.keys).toEqual(['a']);
  reads[1]!.end();
  expect(await Promise.all([later, latest])).toEqual(['value of a', 'value of a']);
});

test('a key without a value is null, and each request gets only its own value', async () => {
  const ask = createGrouped({ read: async () => new Map([['a', 1]]), ...limits });

  expect(await Promise.all([ask('a'), ask('b')])).toEqual([1, null]);
});

test('a failed read fails only its own group, and the next one proceeds', async () => {
  const { reads, read } = blockedReader();
  const ask = createGrouped({ read, ...limits, inFlight: 1 });
  const first = ask('a');
  await nextTurn();
  const second = ask('b');

  reads[0]!.fail(new Error('unreachable'));

  await expect(first).rejects.toThrow('unreachable');
  reads[1]!.end();
  expect(await second).toBe('value of b');
});

test('a request beyond the queue limit is refused as unavailable, and freed capacity is used again', async () => {
  const { reads, read } = blockedReader();
  const ask = createGrouped({ read, ...limits, inFlight: 1, batch: 10 });
  const answers = [ask('a')];
  await nextTurn();
  answers.push(...['b', 'c', 'd', 'e', 'f'].map(ask));

  await expect(ask('g')).rejects.toMatchObject({ kind: 'unavailable' });
  reads[0]!.end();
  await nextTurn();
  reads[1]!.end();

  expect(await Promise.all(answers)).toHaveLength(6);
  void ask('g');
  await nextTurn();
  expect(reads[2]!.keys).toEqual(['g']);
});
