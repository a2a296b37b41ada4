import { createInstance } from 'i18next';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import type { Texts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { directionOf, fallbackLanguage } from './languages.ts';
import type { TranslatedLanguage } from './languages.ts';
import { nl } from './nl.ts';
import { oauthTexts } from './oauth/oauth.ts';
import type { OAuthTexts } from './oauth/oauth-en.ts';
import { pt } from './pt.ts';
import { zh } from './zh.ts';

export type { Texts };

/** All texts of e-mails and of the gateway's own pages, for the server and for browsers. */
export const texts: Readonly<Record<TranslatedLanguage, Texts>> = {
  ...{ en, de, fr, es, it, pt, nl, ja, zh, ar },
};

const withOAuth = Object.fromEntries(
  Object.entries(texts).map(([language, own]) => [
    language,
    { ...own, oauth: oauthTexts[language as TranslatedLanguage] },
  ]),
) as unknown as Readonly<Record<TranslatedLanguage, Texts & { oauth: OAuthTexts }>>;

export type Namespace = keyof Texts | 'oauth';

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
    resources: withOAuth,
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
