import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldCase } from '../../../src/platform/text/fold-case.ts';

test.each([
  ['Straße', 'STRASSE'],
  ['Straße', 'strasse'],
  ['STRAẞE', 'straße'],
  ['ΟΔΟΣ', 'οδος'],
  ['οδος', 'οδοσ'],
  ['ﬁnance', 'FINANCE'],
  ['É', 'e\u0301'],
  ['İ', 'i\u0307'],
  ['ſ', 'S'],
  ['K', 'k'],
])('%s and %s are equal without case', (a, b) => {
  expect(foldCase(a)).toBe(foldCase(b));
});

test.each([
  ['ss', 's'],
  ['e', 'é'],
  ['Ärzte', 'Arzte'],
])('%s and %s differ', (a, b) => {
  expect(foldCase(a)).not.toBe(foldCase(b));
});

test('no change of case tells texts apart, and folding twice is folding once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
      const folded = foldCase(text);
      expect(foldCase(text.toUpperCase())).toBe(folded);
      expect(foldCase(text.toLowerCase())).toBe(folded);
      expect(foldCase(folded)).toBe(folded);
    }),
    { numRuns: 2_000 },
  );
});
