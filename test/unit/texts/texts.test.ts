import { describe, expect, test } from 'vitest';
import { refusedReasons } from '../../../src/accounts/providers/schema.ts';
import { scopesIn } from '../../../src/authz/permissions.ts';
import { groupScopes } from '../../../src/oauth/consent/page/scope-groups.ts';
import { translatedLanguages } from '../../../src/texts/languages.ts';
import { createTexts, texts } from '../../../src/texts/texts.ts';

/** Returns every sentence with its path, such as `emails.verify.subject`. */
function sentencesOf(node: unknown, path: readonly string[] = []): [path: string, text: string][] {
  return typeof node === 'string'
    ? [[path.join('.'), node]]
    : Object.entries(node as object).flatMap(([key, child]) => sentencesOf(child, [...path, key]));
}
const PLACEHOLDER = /\{\{\w+\}\}/g;
const placeholdersOf = (text: string) => (text.match(PLACEHOLDER) ?? []).toSorted();
const english = new Map(sentencesOf(texts.en));
const others = translatedLanguages.filter((language) => language !== 'en');

// Sentences that are the same as in English.
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [
    ...['oauth.teams', 'oauth.agent', 'oauth.code', 'oauth.nouns.prompts', 'oauth.nouns.teams'],
    'pages.second_factor.code',
  ],
  fr: [
    ...['oauth.client', 'oauth.agent', 'oauth.code', 'oauth.nouns.prompts', 'oauth.nouns.agents'],
    'pages.second_factor.code',
  ],
  es: ['oauth.reported', 'oauth.nouns.prompts', 'oauth.nouns.roles'],
  it: ['oauth.password', 'oauth.nouns.sso'],
  pt: ['oauth.nouns.prompts'],
  nl: [
    ...['oauth.teams', 'oauth.agent', 'oauth.code', 'oauth.nouns.tools', 'oauth.nouns.prompts'],
    ...['oauth.nouns.agents', 'oauth.nouns.teams', 'oauth.nouns.sso', 'pages.second_factor.code'],
  ],
};

test('ten languages have texts', () => {
  expect(Object.keys(texts).toSorted()).toEqual([...translatedLanguages].toSorted());
  expect(english.size).toBeGreaterThan(80);
});

describe.each(others)('the sentences in %s', (language) => {
  const sentences = sentencesOf(texts[language]);

  test('have the same keys as English, in the same order', () => {
    expect(sentences.map(([path]) => path)).toEqual([...english.keys()]);
  });

  test('have the same placeholders as English', () => {
    const found = sentences.map(([path, text]) => [path, placeholdersOf(text)]);

    expect(found).toEqual([...english].map(([path, text]) => [path, placeholdersOf(text)]));
  });

  test('are translated, complete and trimmed', () => {
    const untranslated = sentences.filter(([path, text]) => text === english.get(path));

    expect(untranslated.map(([path]) => path)).toEqual(SAME[language] ?? []);
    for (const [path, text] of sentences) {
      expect(text.trim(), path).toBe(text);
      expect(text.length, path).toBeGreaterThan(1);
      expect(text.replaceAll(PLACEHOLDER, 'x'), path).not.toMatch(/\s{2}|[<>{}]/);
    }
  });

  test('end with a full stop where English does, and name the product where English does', () => {
    const ends = (text: string) => /[.。]$/.test(text);
    for (const [path, text] of sentences) {
      if (!path.endsWith('.rule') && !path.endsWith('.fallback'))
        expect(ends(text), `${path}: ${text}`).toBe(ends(english.get(path)!));
      expect(text.includes('toolgate'), path).toBe(english.get(path)!.includes('toolgate'));
    }
  });
});

test.each(['is', 'vi', 'xx', 'constructor', ''])(
  'a locale without a translation (%j) is entirely in English (rel:B4-3)',
  (locale) => {
    const wording = createTexts()('pages', locale);

    expect([wording.language, wording.direction]).toEqual(['en', 'ltr']);
    expect(wording.translate('verify.title')).toBe(texts.en.pages.verify.title);
  },
);

test('every refusal reason of a third-party sign-in has a sentence', () => {
  const { title: _title, ...reasons } = texts.en.pages.sign_in_refused;

  expect(Object.keys(reasons)).toEqual([...refusedReasons]);
});

test('every verb and noun of a scope has a text for the consent page, and no other has one', () => {
  const names = new Set([...scopesIn('personal'), ...scopesIn('organization')]);
  const { mcp, management } = groupScopes([...names]);
  const verbs = management.flatMap(({ scopes }) => scopes.map(({ verb }) => verb));
  const nouns = [...mcp, ...management].map(({ noun }) => noun);

  expect(new Set(Object.keys(texts.en.oauth.verbs))).toEqual(new Set(verbs));
  expect(new Set(Object.keys(texts.en.oauth.nouns))).toEqual(new Set(nouns));
});

test('Arabic is right to left, and every other translation is left to right', () => {
  const wordIn = createTexts();
  const found = translatedLanguages.filter((one) => wordIn('emails', one).direction === 'rtl');

  expect(found).toEqual(['ar']);
});

test('a value is inserted once and not interpolated', () => {
  const { translate } = createTexts()('emails', 'de');

  expect(translate('sign_in_linked.greeting', { provider: '{{host}} $t(emails) & Co' })).toBe(
    'Sie können sich jetzt mit {{host}} $t(emails) & Co bei Ihrem toolgate-Konto anmelden.',
  );
});
