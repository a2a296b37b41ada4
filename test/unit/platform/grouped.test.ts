import { expect, test } from 'vitest';
import { createBatchedRead } from '../../../src/platform/concurrency/grouped.ts';

/** A reader whose reads complete when the test ends them. */
function createBlockedReader() {
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
const limits = { inFlight: 2, batch: 3, maxWaiting: 5 };

test('a single request is sent in the same turn of the event loop', async () => {
  const { reads, read } = createBlockedReader();
  const request = createBatchedRead({ read, ...limits });

  void request('a');
  await nextTurn();

  expect(reads.map(({ keys }) => keys)).toEqual([['a']]);
});

test('requests of one turn share a read, and so do requests queued while all reads are busy', async () => {
  const { reads, read } = createBlockedReader();
  const request = createBatchedRead({ read, ...limits, inFlight: 1 });
  const answers = ['a', 'b'].map(request);
  await nextTurn();
  answers.push(...['c', 'd', 'e', 'f'].map(request));
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
  const { reads, read } = createBlockedReader();
  const request = createBatchedRead({ read, ...limits, inFlight: 1 });
  void request('a');
  await nextTurn();

  const later = request('a');
  const latest = request('a');
  reads[0]!.end();
  await nextTurn();

  expect(reads[1]!.keys).toEqual(['a']);
  reads[1]!.end();
  expect(await Promise.all([later, latest])).toEqual(['value of a', 'value of a']);
});

test('a key without a value is null, and each request gets only its own value', async () => {
  const request = createBatchedRead({ read: async () => new Map([['a', 1]]), ...limits });

  expect(await Promise.all([request('a'), request('b')])).toEqual([1, null]);
});

test('a failed read fails only its own group, and the next one proceeds', async () => {
  const { reads, read } = createBlockedReader();
  const request = createBatchedRead({ read, ...limits, inFlight: 1 });
  const first = request('a');
  await nextTurn();
  const second = request('b');

  reads[0]!.fail(new Error('unreachable'));

  await expect(first).rejects.toThrow('unreachable');
  reads[1]!.end();
  expect(await second).toBe('value of b');
});

test('a request beyond the queue limit is refused as unavailable, and freed capacity is used again', async () => {
  const { reads, read } = createBlockedReader();
  const request = createBatchedRead({ read, ...limits, inFlight: 1, batch: 10 });
  const answers = [request('a')];
  await nextTurn();
  answers.push(...['b', 'c', 'd', 'e', 'f'].map(request));

  await expect(request('g')).rejects.toMatchObject({ kind: 'unavailable' });
  reads[0]!.end();
  await nextTurn();
  reads[1]!.end();

  expect(await Promise.all(answers)).toHaveLength(6);
  void request('g');
  await nextTurn();
  expect(reads[2]!.keys).toEqual(['g']);
});
