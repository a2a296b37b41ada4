import { expect, test } from 'vitest';
import { createPieceRunner } from '../../../src/visibility/precompute.ts';

/** Appends `name` to `done` `pieces` times, and yields in between. */
function* work(name: string, pieces: number, done: string[]): Generator<void> {
  for (let piece = 1; piece < pieces; piece += 1) {
    done.push(name);
    yield;
  }
  done.push(name);
}

test('work of a single piece runs at once, even while others wait', async () => {
  const inPieces = createPieceRunner();
  const done: string[] = [];
  const long = inPieces('ada', work('long', 5, done));
  const short = inPieces('ben', work('short', 1, done));

  expect(done).toEqual(['long', 'short']);
  await Promise.all([long, short]);
  expect(done).toEqual(['long', 'short', 'long', 'long', 'long', 'long']);
});

test('accounts take turns after every piece, even if one of them queues much more work', async () => {
  const inPieces = createPieceRunner();
  const done: string[] = [];
  const works = Array.from({ length: 10 }, () => inPieces('ada', work('ada', 4, done)));
  works.push(inPieces('ben', work('ben', 4, done)));
  await Promise.all(works);

  expect(done.slice(0, 11)).toEqual([...Array<string>(10).fill('ada'), 'ben']);
  expect(done.slice(11).lastIndexOf('ben')).toBeLessThan(8);
});

test('the event loop runs between two pieces', async () => {
  const inPieces = createPieceRunner();
  const done: string[] = [];
  const turn = () => {
    done.push('turn');
    if (done.length < 12) setImmediate(turn);
  };
  setImmediate(turn);
  await inPieces('ada', work('piece', 4, done));

  expect(done.slice(0, 7).filter((one) => one === 'turn').length).toBeGreaterThanOrEqual(2);
  expect(done.join(' ')).not.toContain('piece piece piece');
});

test('work beyond an account’s queue limit is refused, and other accounts are served', async () => {
  const inPieces = createPieceRunner();
  const done: string[] = [];
  const works = Array.from({ length: 40 }, () => inPieces('ada', work('ada', 3, done)));
  const other = inPieces('ben', work('ben', 3, done));
  const outcomes = await Promise.allSettled(works);

  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(10);
  expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable' } });
  await other;
});
