import { expect, test } from 'vitest';
import { closeLeftOpen, recordOpen } from '../support/worlds/left-open.ts';

/** Returns a function that adds a name to a list when it is called. */
const adding = (closed: string[], name: string) => async () => void closed.push(name);

test('what an earlier file left open is closed once, and what the current file uses stays open', async () => {
  const closed: string[] = [];
  recordOpen(adding(closed, 'left'), 'earlier.test.ts');
  const close = recordOpen(adding(closed, 'own'));

  await closeLeftOpen();
  await closeLeftOpen();
  expect(closed).toEqual(['left']);

  await close();
  expect(closed).toEqual(['left', 'own']);
});

test('what an earlier file closed is not closed again', async () => {
  const closed: string[] = [];
  await recordOpen(adding(closed, 'left'), 'earlier.test.ts')();

  await closeLeftOpen();

  expect(closed).toEqual(['left']);
});

test('what cannot be closed fails no later file', async () => {
  const failing = async () => {
    throw new Error('cannot be closed');
  };
  recordOpen(failing, 'earlier.test.ts');

  await expect(closeLeftOpen()).resolves.toBeUndefined();
});
