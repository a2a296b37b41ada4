import { describe, expect, test } from 'vitest';
import {
  languageAtSignUp,
  primarySubtag,
  supportedLanguages,
  translatedLanguages,
} from '../../../src/mail/languages.ts';

describe('a tag is checked as it was written', () => {
  test.each([
    ...['', 'e', 'e1', 'eng', 'eng-US', 'fil-PH', 'en_US', 'en-', 'en-U', 'en-USA', 'en-12'],
    ...['zh-Hant', 'en-US-x', 'en--US', ' en', 'en ', 'en\n', 'éa', 'de-CH-1996', 'i-klingon'],
  ])('%j is no two-letter code (rel:B4-1)', (tag) => {
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

test('the picker lists 42 languages, and what is translated is among them', () => {
  expect(new Set(supportedLanguages).size).toBe(42);
  expect(supportedLanguages).toEqual(expect.arrayContaining([...translatedLanguages]));
  expect(translatedLanguages).toHaveLength(10);
});
