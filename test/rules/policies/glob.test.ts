import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isGlob, matchesGlob } from '../../../src/policies/glob.ts';

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
])('%j is no pattern (rel:PO13)', (pattern) => {
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

test('it says what the obvious matcher says (rel:P16)', () => {
  fc.assert(
    fc.property(pattern, path, (glob, text) => {
      expect(matchesGlob(glob, text)).toBe(reference(glob.split('/'), text.split('/')));
    }),
    { numRuns: 20_000 },
  );
});

test('a hostile pattern ends, where backtracking would outlive the test (rel:PO13, rel:P16)', () => {
  const hostile = ['*a'.repeat(32), `${'**/'.repeat(64)}a`, `${'**/a/'.repeat(63)}**/a`];
  const long = [`${'a'.repeat(1_023)}b`, `${'a/'.repeat(511)}b`];

  for (const glob of hostile) {
    expect(isGlob(glob)).toBe(true);
    for (const text of long) expect(matchesGlob(glob, text)).toBe(false);
  }
});

/** The definition, in exponential time. */
function reference(wanted: string[], given: string[]): boolean {
  const [first, ...rest] = wanted;
  if (first === undefined) return given.length === 0;
  if (first === '**' && rest.length === 0) return given.length > 0;
  if (first === '**')
    return reference(rest, given) || (given.length > 0 && reference(wanted, given.slice(1)));
  if (given.length === 0) return false;
  return characters(first, given[0]!) && reference(rest, given.slice(1));
}

function characters(wanted: string, given: string): boolean {
  if (wanted === '') return given === '';
  if (wanted[0] === '*')
    return (
      characters(wanted.slice(1), given) || (given !== '' && characters(wanted, given.slice(1)))
    );
  return (
    given !== '' &&
    (wanted[0] === '?' || wanted[0] === given[0]) &&
    characters(wanted.slice(1), given.slice(1))
  );
}
