import { expect, test } from 'vitest';
import { findWords, WORDS } from '../glossary.ts';

test.each([
  ['a comment', '// The account whom a key belongs to.'],
  ['a block comment', '/**\n * Runs lest a scope is missed.\n */'],
  ['a message', "throw new Error('The key is gone, hence refused.');"],
  ['a test title', "  test('a seldom used key is revoked', () => {});"],
  ['a template', 'const text = `Start ${"anew"}`;'],
  ['a comment’s opening', '/** Whose key it is. */'],
  ['a test’s opening', "test('of two keys one is revoked', () => {});"],
  [
    'an opening with a table',
    "test.each([\n  1,\n])('x', () => {});\ntest('whose key it is', () => {});",
  ],
])('a planted word is found in %s', (_where, code) => {
  expect(findWords('src/keys/keys.ts', code)).toHaveLength(1);
});

test('a finding names the line and the replacement', () => {
  expect(findWords('docs/limits.md', '# Limits\n\nThe caller to whom it belongs.')).toEqual([
    `3: "whom" (write: ${WORDS['whom']})`,
  ]);
});

test.each([
  ['names in code', 'const whom = mend(hence);'],
  ['longer words', '// A whomever-like shallow letter, or a threshold.'],
  ['plain openings', "/** Whether a key is usable. */\ntest('a key of two is revoked', () => {});"],
])('%s are accepted', (_what, code) => {
  expect(findWords('src/keys/keys.ts', code)).toEqual([]);
});
