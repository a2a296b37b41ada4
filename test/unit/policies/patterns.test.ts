import { expect, test } from 'vitest';
import { isGlob } from '../../../src/policies/glob.ts';
import { Patterns, patternsOf, PIECE_STEPS } from '../../../src/policies/patterns.ts';

const BITS = 32;

/** Patterns of 512 bytes whose states all survive a path of one repeated letter. */
const worst = Array.from({ length: 256 }, (_, index) => {
  const head = index.toString(2).padStart(8, '0').replaceAll('0', '?').replaceAll('1', 'a');
  return `*${head}${'?a'.repeat(256)}`.slice(0, 511) + 'b';
});
const longPath = (end: string) => `${'a'.repeat(1_023 - end.length)}${end}`;
const withNames = (paths: readonly string[]) => paths.map((name) => ({ name }));
/** Returns the maximum cost of a pattern: its tables, plus a step per character and state word. */
const maxSteps = (pattern: string, path: string) => {
  const words = Math.ceil((pattern.length + 3) / BITS);
  return (path.length + 20) * words;
};

test('the worst patterns that can be saved stay within the maximum cost of their states', () => {
  expect(worst.every(isGlob)).toBe(true);
  const patterns = new Patterns(worst);
  const path = longPath('c');

  expect(patterns.first(path)).toBeNull();

  const limit = worst.reduce((sum, pattern) => sum + maxSteps(pattern, path), 0);
  expect(patterns.meter.steps).toBeGreaterThan(limit / 2);
  expect(patterns.meter.steps).toBeLessThanOrEqual(limit);
});

test('the result for a path is cached: matching it again takes no steps', () => {
  const patterns = new Patterns(worst);
  patterns.first(longPath('c'));
  const { steps } = patterns.meter;

  expect(patterns.first(longPath('c'))).toBeNull();
  expect(patterns.meter.steps).toBe(steps);
});

test('many paths are precomputed in pieces, each at most `PIECE_STEPS` plus the cost of one pattern', () => {
  const patterns = new Patterns(worst);
  const paths = ['c', 'cc', 'b', 'ccc'].map(longPath);
  const pieces: number[] = [];
  let before = 0;
  const work = patterns.precompute(withNames(paths));
  for (let isOver = false; !isOver;) {
    isOver = work.next().done === true;
    pieces.push(patterns.meter.steps - before);
    before = patterns.meter.steps;
  }

  expect(pieces.length).toBeGreaterThan(20);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(PIECE_STEPS + maxSteps(worst[0]!, paths[0]!));
  const precomputedSteps = patterns.meter.steps;
  expect(paths.map((path) => patterns.first(path))).toEqual([
    null,
    null,
    expect.stringMatching(/^\*/),
    null,
  ]);
  expect(patterns.meter.steps).toBe(precomputedSteps);
  expect(patterns.precompute(withNames(paths)).next().done).toBe(true);
});

test('concurrent precomputations share their results', () => {
  const alone = new Patterns(worst);
  for (const _ of alone.precompute(withNames([longPath('c'), longPath('cc')])));
  const shared = new Patterns(worst);
  const [one, other] = [1, 2].map(() =>
    shared.precompute(withNames([longPath('c'), longPath('cc')])),
  );
  while (one!.next().done !== true);
  while (other!.next().done !== true);

  expect(shared.meter.steps).toBe(alone.meter.steps);
});

test('simple patterns are matched in one step each', () => {
  const plain = Array.from({ length: 256 }, (_, index) => `documents/${index}/**`);
  const patterns = new Patterns(plain);
  patterns.first('documents/none/of/them.md');
  const { steps } = patterns.meter;

  expect(patterns.first('documents/nor/of/these.md')).toBeNull();
  expect(patterns.meter.steps - steps).toBe(256);
  expect(patterns.first('documents/7/a.md')).toBe('documents/7/**');
});

test('the weight counts cached paths, and automata of heavy patterns are dropped after precomputing', () => {
  const weights: number[] = [];
  const patterns = new Patterns(worst, ({ weight }) => void weights.push(weight));
  const bare = patterns.weight;
  const paths = ['c', 'cc', 'ccc'].map(longPath);
  for (const _ of patterns.precompute(withNames(paths)));

  expect(Math.max(...weights)).toBeGreaterThan(bare + 256 * 500);
  expect(patterns.weight - bare).toBe(3 * (64 + 2 * 1_023));
});

test('equal lists share one object, different lists do not', () => {
  const patterns = patternsOf(['a/*', 'b']);

  expect(patternsOf(['a/*', 'b'])).toBe(patterns);
  expect(patternsOf(['a/*'])).not.toBe(patterns);
  expect(patternsOf(['b', 'a/*'])).not.toBe(patterns);
});

test('the weight of cached patterns includes results added after they were cached', () => {
  const [first, second] = ['first/*', 'second/*'].map((pattern) => patternsOf([pattern]));
  const findMany = (patterns?: Patterns) => {
    for (let path = 0; path < 1_000; path += 1) patterns?.first(`${path}`.padEnd(10_000, '/'));
  };
  findMany(first);
  expect(patternsOf(['first/*'])).toBe(first);

  findMany(second);

  expect(patternsOf(['second/*'])).toBe(second);
  expect(patternsOf(['first/*'])).not.toBe(first);
});

test('the first matching pattern is returned', () => {
  expect(new Patterns(['x', 'a/**', 'a/b']).first('a/b')).toBe('a/**');
});
