import { expect, test } from 'vitest';
import { createUseRecorder } from '../../../src/credentials/use-recorder.ts';
import { createLog } from '../../../src/platform/observability/log.ts';

const log = createLog('silent');

test('uses recorded in the same turn are written together, with each key once', async () => {
  const writes: string[][] = [];
  const uses = createUseRecorder({ write: async (ids) => void writes.push([...ids]), log });

  for (const id of ['a', 'b', 'a']) uses.record(id);
  expect(writes).toEqual([]);
  await uses.settled();

  expect(writes).toEqual([['a', 'b']]);
});

test('a key whose write is in progress is not written again, but other keys are', async () => {
  const writes: string[][] = [];
  const uses = createUseRecorder({
    async write(ids) {
      writes.push([...ids]);
      for (const id of ['a', 'b']) if (writes.length === 1) uses.record(id);
    },
    log,
  });

  uses.record('a');
  await uses.settled();

  expect(writes).toEqual([['a'], ['b']]);
});

test('after a failed write the next use is recorded', async () => {
  const writes: string[][] = [];
  const uses = createUseRecorder({
    async write(ids) {
      writes.push([...ids]);
      if (writes.length === 1) throw new Error('unreachable');
    },
    log,
  });

  uses.record('a');
  await uses.settled();
  uses.record('a');
  await uses.settled();

  expect(writes).toEqual([['a'], ['a']]);
});
