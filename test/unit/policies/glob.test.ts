import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isGlob } from '../../../src/policies/glob.ts';
import { Patterns } from '../../../src/policies/patterns.ts';

const matchesGlob = (glob: string, text: string) => new Patterns([glob]).first(text) !== null;

test.each([
  '',
  'a//b',
  'a/',
  '/a',
  '/',
  '..',
  'a/../b',
  './a',
  'a\\b',
  '{a,b}',
  '[a]',
  '!a',
  'a!b',
  '+(a)',
  '@(a)',
  '?(a)',
  '*(a)',
  'a**b',
  '**a',
  'a/***',
  'toolgate://me/documents/**',
  'a\u0000b',
  'a\nb',
  'x'.repeat(513),
])('%j is not a pattern (rel:PO13)', (pattern) => {
  expect(isGlob(pattern)).toBe(false);
});

test.each([
  'a',
  '*',
  '**',
  '**/a',
  'a/**/b',
  'a.b',
  'a..b',
  '...',
  '.x',
  'ä/日本',
  'n (1).md',
  'x+y',
])('%j is a pattern', (pattern) => {
  expect(isGlob(pattern)).toBe(true);
});

test.each([
  ['documents/**', 'documents/a', true],
  ['documents/**', 'documents/a/b', true],
  ['documents/**', 'documents/a/.x', true],
  ['documents/**', 'documents', false],
  ['documents/**', 'documentsx/a', false],
  ['documents/**', 'Documents/a', false],
  ['documents/**', 'x/documents/a', false],
  ['*', 'a/b', false],
  ['a/*', 'a/b/c', false],
  ['a?b', 'a/b', false],
  ['?', 'ab', false],
  ['?', '𝒳', true],
  ['*.md', '.md', true],
  ['a*', 'a', true],
  ['*a*', 'bab', true],
  ['*a', 'aab', false],
  ['**', 'a', true],
  ['**', 'a/b/c', true],
  ['**/a', 'a', true],
  ['**/a', 'x/y/a', true],
  ['**/a', 'xa', false],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**/b', 'ab', false],
  ['a/**/**', 'a', false],
  ['a/**/**', 'a/b', true],
  ['a.c', 'abc', false],
])('%s on %s: %s (P, rel:PO14)', (pattern, path, expected) => {
  expect(matchesGlob(pattern, path)).toBe(expected);
});

const alphabet = fc.constantFrom('a', 'b', '.');
const segment = fc.string({ unit: alphabet, minLength: 1, maxLength: 4 });
const patternSegment = fc.oneof(
  fc.constant('**'),
  fc
    .string({ unit: fc.oneof(alphabet, fc.constantFrom('*', '?')), minLength: 1, maxLength: 5 })
    .filter((text) => !text.includes('**')),
);
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((all) => all.join('/'));
const pattern = fc
  .array(patternSegment, { minLength: 1, maxLength: 5 })
  .map((all) => all.join('/'))
  .filter(isGlob);

test('the matcher agrees with the reference matcher (rel:P16)', () => {
  fc.assert(
    fc.property(pattern, path, (glob, text) => {
      expect(matchesGlob(glob, text)).toBe(reference(glob.split('/'), text.split('/')));
    }),
    { numRuns: 20_000 },
  );
});

test('a hostile pattern finishes; backtracking would time out (rel:PO13, rel:P16)', () => {
  const hostile = ['*a'.repeat(32), `${'**/'.repeat(64)}a`, `${'**/a/'.repeat(63)}**/a`];
  const long = [`${'a'.repeat(1_023)}b`, `${'a/'.repeat(511)}b`];

  for (const glob of hostile) {
    expect(isGlob(glob)).toBe(true);
    for (const text of long) expect(matchesGlob(glob, text)).toBe(false);
  }
});

// Long enough for states in several words, with every step on either side of a word boundary.
const longSegment = fc
  .array(fc.constantFrom('a', 'b', '?', '*a', '*b', 'é', '𝒳', '.'), { minLength: 1, maxLength: 40 })
  .map((all) => all.join(''));
const longPattern = fc
  .array(fc.oneof({ arbitrary: longSegment, weight: 3 }, fc.constant('**'), fc.constant('*')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) => all.join('/'))
  .filter(isGlob);

/** Generates a path that matches the pattern, sometimes with one character changed. */
const pathFor = (glob: string) =>
  fc
    .tuple(fc.infiniteStream(fc.constantFrom('a', 'b', 'é')), fc.nat(), fc.boolean())
    .map(([fillers, place, isChanged]) => {
      const fill = () => fillers.next().value as string;
      const segments = glob.split('/').flatMap((one) => (one === '**' ? [fill(), fill()] : [one]));
      const text = Array.from(segments.join('/'), (one) => (/[?*]/.test(one) ? fill() : one));
      if (isChanged) text[place % text.length] = fill();
      return text.join('');
    });

test('the matcher agrees with the memoized matcher on long patterns and matching paths (rel:P16)', () => {
  let matched = 0;
  fc.assert(
    fc.property(
      longPattern.chain((glob) => fc.tuple(fc.constant(glob), pathFor(glob))),
      ([glob, text]) => {
        const expected = memoized(glob.split('/'), text.split('/'));
        matched += expected ? 1 : 0;
        expect(matchesGlob(glob, text)).toBe(expected);
      },
    ),
    { numRuns: 10_000 },
  );
  expect(matched).toBeGreaterThan(1_000);
});

test('a step may be at any position in a word of states (rel:P16)', () => {
  for (let length = 0; length <= 70; length += 1) {
    const [begin, filled] = [`?${'a'.repeat(length)}`, 'a'.repeat(length + 1)];
    for (const end of ['/**/b', '/**', '*b', '/*/b', '*/b', '/**/*b', '?*', '/**/?/**/b'])
      for (const rest of ['/b', '/x/b', '/x/y/b', 'b', '/bb', '/', '', '/x/y', '/c', 'ab']) {
        const [glob, text] = [begin + end, filled + rest];
        const expected = memoized(glob.split('/'), text.split('/'));
        expect(matchesGlob(glob, text), `${glob} on ${text}`).toBe(expected);
      }
  }
});

/** The same definition as `reference`, memoized per pair of positions. */
function memoized(glob: readonly string[], target: readonly string[]): boolean {
  const rests = new Map<string, boolean>();
  const matchFrom = (at: number, to: number): boolean => {
    const key = `${at} ${to}`;
    const known = rests.get(key) ?? compute(at, to);
    rests.set(key, known);
    return known;
  };
  const compute = (at: number, to: number): boolean => {
    if (at === glob.length) return to === target.length;
    if (glob[at] === '**' && at === glob.length - 1) return to < target.length;
    if (glob[at] === '**')
      return matchFrom(at + 1, to) || (to < target.length && matchFrom(at, to + 1));
    return to < target.length && fits(glob[at]!, target[to]!) && matchFrom(at + 1, to + 1);
  };
  return matchFrom(0, 0);
}

/** Matches one segment by the set of lengths of text the pattern so far can have consumed. */
function fits(glob: string, target: string): boolean {
  const text = Array.from(target);
  let read = new Set([0]);
  for (const symbol of glob) {
    const next = new Set<number>();
    for (const position of read)
      if (symbol === '*') for (let end = position; end <= text.length; end += 1) next.add(end);
      else if (position < text.length && (symbol === '?' || symbol === text[position]))
        next.add(position + 1);
    read = next;
  }
  return read.has(text.length);
}

/** The definition of a match, in exponential time. */
function reference(glob: string[], target: string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return target.length === 0;
  if (first === '**' && rest.length === 0) return target.length > 0;
  if (first === '**')
    return reference(rest, target) || (target.length > 0 && reference(glob, target.slice(1)));
  if (target.length === 0) return false;
  return characters(first, target[0]!) && reference(rest, target.slice(1));
}

function characters(glob: string, target: string): boolean {
  if (glob === '') return target === '';
  if (glob[0] === '*')
    return (
      characters(glob.slice(1), target) || (target !== '' && characters(glob, target.slice(1)))
    );
  return (
    target !== '' &&
    (glob[0] === '?' || glob[0] === target[0]) &&
    characters(glob.slice(1), target.slice(1))
  );
}
