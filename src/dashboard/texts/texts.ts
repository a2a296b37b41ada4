import i18next from 'i18next';
import type { ParseKeys, TFunction } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { fallbackLanguage, LANGUAGE_COOKIE, preferredLanguage } from '../../texts/languages.ts';
import type { Language } from '../../texts/languages.ts';
import { readChoice, storeChoice } from '../frame/choices.ts';
import { texts as en } from './en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** The function that returns a text, as `useTranslation` gives it. */
export type Translate = TFunction;
/** The name of a text. */
export type TextName = ParseKeys;

/** Languages of the dashboard; each is loaded when it is chosen. */
const loaders = import.meta.glob<{ texts: object }>(['./*.ts', '!./texts.ts']);
export const dashboardLanguages = Object.keys(loaders)
  .map((file) => file.slice(2, -3) as Language)
  .toSorted();

/** Starts with the stored language, else the one that the browser prefers. */
export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    fallbackLng: fallbackLanguage,
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false },
  });
  await chooseLanguage(
    storedLanguage() ??
      preferredLanguage(navigator.languages.join(','), dashboardLanguages) ??
      fallbackLanguage,
  );
}

/** Loads and shows a language. */
export async function chooseLanguage(language: Language): Promise<void> {
  const load = loaders[`./${language}.ts`];
  if (load === undefined) return;
  if (!i18next.hasResourceBundle(language, 'translation'))
    i18next.addResourceBundle(language, 'translation', (await load()).texts);
  await i18next.changeLanguage(language);
}

/** Returns the name of a language in that language. */
export const nameOfLanguage = (language: Language): string =>
  new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;

/**
 * Shows a language, now and whenever the dashboard is opened in this browser; the pages that links
 * of e-mails lead to are in it as well.
 */
export function keepLanguage(language: Language): void {
  storeChoice(LANGUAGE_COOKIE, language);
  void chooseLanguage(language);
}

function storedLanguage(): Language | null {
  const stored = readChoice(LANGUAGE_COOKIE);
  return dashboardLanguages.find((language) => language === stored) ?? null;
}
