import { readFileSync } from 'node:fs';
import { createInstance } from 'i18next';
import emails from './en/emails.json' with { type: 'json' };
import oauth from './en/oauth.json' with { type: 'json' };
import pages from './en/pages.json' with { type: 'json' };
import { directionOf, fallbackLanguage, translatedLanguages } from './languages.ts';
import type { TranslatedLanguage } from './languages.ts';

/** Texts of e-mails, of the pages of the authorization server, and of the small pages that links lead to. */
const english = { emails, oauth, pages };
/** The texts of a language by namespace; a test compares their keys with the English ones. */
export type Texts = typeof english;
export type Namespace = keyof Texts;

/** The texts of all languages. */
export const texts = Object.fromEntries(
  translatedLanguages.map((language) => [
    language,
    Object.fromEntries(Object.keys(english).map((name) => [name, read(language, name)])),
  ]),
) as unknown as Readonly<Record<TranslatedLanguage, Texts>>;

function read(language: TranslatedLanguage, namespace: string): unknown {
  const url = new URL(`${language}/${namespace}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'));
}

/** Texts of one namespace in one language. */
export interface Translator {
  language: string;
  direction: 'ltr' | 'rtl';
  /** `key` is a path such as `verify.title`; values are inserted without escaping. */
  translate(key: string, values?: Readonly<Record<string, string>>): string;
}

export type GetTranslator = (namespace: Namespace, locale: string) => Translator;

/** Creates the lookup of texts; untranslated locales get only English (spec: locale rule 5). */
export function createTexts(): GetTranslator {
  const i18n = createInstance({
    fallbackLng: fallbackLanguage,
    resources: texts,
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  void i18n.init();
  return (namespace, locale) => {
    const language = Object.hasOwn(texts, locale) ? locale : fallbackLanguage;
    const t = i18n.getFixedT(language, namespace);
    return {
      language,
      direction: directionOf(language),
      translate: (key, values = {}) => t(key, { ...values }),
    };
  };
}
