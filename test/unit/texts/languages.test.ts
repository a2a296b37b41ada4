import { describe, expect, test } from 'vitest';
import {
  languageAtSignUp,
  preferredLanguage,
  primarySubtag,
  supportedLanguages,
  translatedLanguages,
} from '../../../src/texts/languages.ts';

describe('a language tag is validated as written', () => {
  test.each([
    ...['', 'e', 'e1', 'eng', 'eng-US', 'fil-PH', 'en_US', 'en-', 'en-U', 'en-USA', 'en-12'],
    ...['zh-Hant', 'en-US-x', 'en--US', ' en', 'en ', 'en\n', 'éa', 'de-CH-1996', 'i-klingon'],
  ])('%j is not a two-letter code (rel:B4-1)', (tag) => {
    expect(primarySubtag(tag)).toBeNull();
    expect(languageAtSignUp(tag)).toBeNull();
  });

  test.each([
    ['de-CH', 'de'],
    ['zh-Hant-TW', 'zh'],
    ['es-419', 'es'],
    ['EN', 'en'],
    ['pt-br', 'pt'],
    ['he', 'he'],
  ])('%s is stored as %s (rel:B4-2)', (tag, language) => {
    expect(languageAtSignUp(tag)).toBe(language);
  });

  test.each(['xx', 'iw', 'eo', 'xx-YY'])('%s becomes English at sign-up (rel:B4-3)', (tag) => {
    expect(languageAtSignUp(tag)).toBe('en');
  });
});

test('the picker lists 42 languages, including all translated ones', () => {
  expect(new Set(supportedLanguages).size).toBe(42);
  expect(supportedLanguages).toEqual(expect.arrayContaining([...translatedLanguages]));
  expect(translatedLanguages).toHaveLength(10);
});

test.each([
  [null, null],
  ['', null],
  ['*', null],
  ['fi', null],
  ['de', 'de'],
  ['DE-ch', 'de'],
  ['fi, fr;q=0.4, de;q=0.9', 'de'],
  ['en;q=0.5, ar', 'ar'],
  ['zh-Hant-TW', 'zh'],
  ['de;q=0, fr;q=0.1', 'fr'],
  ['de;q=2, fr; q=0.1', 'fr'],
  ['de;q=, fr;q=x', null],
  ['ja , it', 'ja'],
  ['d'.repeat(1_000) + ',de', null],
  [';;;,,,q=1', null],
])('with Accept-Language %j a page is in %j', (header, language) => {
  expect(preferredLanguage(header, translatedLanguages)).toBe(language);
});
