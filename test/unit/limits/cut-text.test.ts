import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from '../../../src/limits/ledger/cut-text.ts';

test.each([
  ['below the limit', 'calculator', 800, 'calculator'],
  ['at the limit', 'abcd', 4, 'abcd'],
  ['above the limit', 'abcde', 4, 'abcd'],
  ['within a character', 'aé€😀', 8, 'aé€'],
  ['NUL', 'a\0b', 800, 'ab'],
  ['a lone surrogate', 'a\ud800', 800, 'a\ufffd'],
])('a text is cut to what the database accepts: %s', (_name, text, bytes, expected) => {
  expect(cutText(text, bytes)).toBe(expected);
});

test('a cut text is within the limit, well-formed, and a prefix of the original', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 2_000 });
  const cases = fc.tuple(anyText, fc.integer({ min: 4, max: 4_096 }));
  fc.assert(
    fc.property(cases, ([text, bytes]) => {
      const cut = cutText(text, bytes);
      const clean = text.toWellFormed().replaceAll('\0', '');
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
      expect(cut.isWellFormed()).toBe(true);
      expect(clean.startsWith(cut)).toBe(true);
      if (Buffer.byteLength(text) <= bytes) expect(cut).toBe(clean);
    }),
  );
});
