import { oauthAr } from './oauth-ar.ts';
import { oauthDe } from './oauth-de.ts';
import { oauthEn } from './oauth-en.ts';
import { oauthEs } from './oauth-es.ts';
import { oauthFr } from './oauth-fr.ts';
import { oauthIt } from './oauth-it.ts';
import { oauthJa } from './oauth-ja.ts';
import { oauthNl } from './oauth-nl.ts';
import { oauthPt } from './oauth-pt.ts';
import { oauthZh } from './oauth-zh.ts';
import type { OAuthTexts } from './oauth-en.ts';
import type { TranslatedLanguage } from '../languages.ts';

/** Texts of the pages of the OAuth authorization server. */
export const oauthTexts: Readonly<Record<TranslatedLanguage, OAuthTexts>> = {
  en: oauthEn,
  de: oauthDe,
  fr: oauthFr,
  es: oauthEs,
  it: oauthIt,
  pt: oauthPt,
  nl: oauthNl,
  ja: oauthJa,
  zh: oauthZh,
  ar: oauthAr,
};
