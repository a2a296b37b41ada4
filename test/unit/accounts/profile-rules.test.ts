import { expect, test } from 'vitest';
import { readProfileEdit } from '../../../src/accounts/profile/profile-rules.ts';
import { supportedLanguages } from '../../../src/texts/languages.ts';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';

function faultsOf(edit: object): string[] {
  try {
    readProfileEdit(edit);
  } catch (error) {
    if (isRefusal(error) && error.kind === 'malformed')
      return error.problems.map(
        ({ code, detail }) => `${code} ${(detail as { pointer: string }).pointer}`,
      );
    throw error;
  }
  return [];
}

test('each of the 42 languages is accepted, and no other (S: languages)', () => {
  expect(supportedLanguages).toHaveLength(42);
  for (const locale of supportedLanguages) expect(readProfileEdit({ locale })).toEqual({ locale });
  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const accepted = letters
    .flatMap((a) => letters.map((b) => a + b))
    .filter((locale) => faultsOf({ locale }).length === 0);
  expect(accepted).toEqual(supportedLanguages.toSorted());
});

test.each([
  ['de-CH', 'de'],
  ['zh-Hant-TW', 'zh'],
  ['EN', 'en'],
  ['pt-419', 'pt'],
])('%s is stored as %s (rel:B4-2)', (locale, stored) => {
  expect(readProfileEdit({ locale })).toEqual({ locale: stored });
});

test.each([
  ['xx', 'unsupported_locale'],
  ['iw', 'unsupported_locale'],
  ['xx-CH', 'unsupported_locale'],
  ['', 'invalid_locale'],
  ['e', 'invalid_locale'],
  ['eng', 'invalid_locale'],
  ['fil-PH', 'invalid_locale'],
  ['e1', 'invalid_locale'],
  ['en_US', 'invalid_locale'],
  ['zh-Hant', 'invalid_locale'],
  ['en ', 'invalid_locale'],
])('%j is refused as %s and does not fall back to English (rel:B4-1, rel:B4-3)', (locale, code) => {
  expect(faultsOf({ locale })).toEqual([`${code} /locale`]);
});

test.each([
  [{}, {}],
  [{ first_name: null }, { first_name: null }],
  [{ first_name: '  ' }, { first_name: null }],
  [{ last_name: ' Łukasz ' }, { last_name: 'Łukasz' }],
  [{ last_name: 'e\u0301' }, { last_name: '\u00e9' }],
  [{ first_name: 'x'.repeat(100) }, { first_name: 'x'.repeat(100) }],
])('%j sets %j and nothing else', (edit, change) => {
  expect(readProfileEdit(edit)).toEqual(change);
});

test('all problems are reported at once', () => {
  const edit = { first_name: 'a\u202eb', last_name: 'x'.repeat(101), locale: 'xx' };

  expect(faultsOf(edit)).toEqual([
    'invalid_name /first_name',
    'invalid_name /last_name',
    'unsupported_locale /locale',
  ]);
});
