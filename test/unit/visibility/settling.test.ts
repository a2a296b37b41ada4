import { expect, test } from 'vitest';
import { createInPieces } from '../../../src/visibility/precompute.ts';

/** Work of `pieces` pieces that records its name for each. */
function* work(name: string, pieces: number, done: string[]): Generator<void> {
  for (let piece = 1; piece < pieces; piece += 1) {
    done.push(name);
    yield;
  }
  done.push(name);
}

test('work of one piece is done at once, even while others wait', async () => {
  const settle = createInPieces();
  const done: string[] = [];
  const long = settle('ada', work('long', 5, done));
  const short = settle('ben', work('short', 1, done));

  expect(done).toEqual(['long', 'short']);
  await Promise.all([long, short]);
  expect(done).toEqual(['long', 'short', 'long', 'long', 'long', 'long']);
});

test('accounts take turns by piece, however much work one of them brings', async () => {
  const settle = createInPieces();
  const done: string[] = [];
  const works = Array.from({ length: 10 }, () => settle('ada', work('ada', 4, done)));
  works.push(settle('ben', work('ben', 4, done)));
  await Promise.all(works);

  expect(done.slice(0, 11)).toEqual([...Array<string>(10).fill('ada'), 'ben']);
  expect(done.slice(11).lastIndexOf('ben')).toBeLessThan(8);
});

test('the event loop turns between two pieces', async () => {
  const settle = createInPieces();
  const done: string[] = [];
  const turn = () => {
    done.push('turn');
    if (done.length < 12) setImmediate(turn);
  };
  setImmediate(turn);
  await settle('ada', work('piece', 4, done));

  expect(done.slice(0, 7).filter((one) => one === 'turn').length).toBeGreaterThanOrEqual(2);
  expect(done.join(' ')).not.toContain('piece piece piece');
});

test('work beyond an account’s queue limit is refused, and others are served', async () => {
  const settle = createInPieces();
  const done: string[] = [];
  const works = Array.from({ length: 40 }, () => settle('ada', work('ada', 3, done)));
  const other = settle('ben', work('ben', 3, done));
  const outcomes = await Promise.allSettled(works);

  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(10);
  expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable' } });
  await other;
});
