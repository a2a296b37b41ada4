import i18next from 'i18next';
import type { ParseKeys, TFunction } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { fallbackLanguage, LANGUAGE_COOKIE, preferredLanguage } from '../../texts/languages.ts';
import type { Language } from '../../texts/languages.ts';
import { readChoice, storeChoice } from '../frame/choices.ts';
import type { Area, Texts } from './english.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Texts };
  }
}

/** The function that returns a text, as `useTranslation` gives it. */
export type Translate = TFunction;
/** The name of a text. */
export type TextName = ParseKeys;

/** What every page needs; a page loads the texts of other areas with itself. */
const COMMON: readonly Area[] = ['frame', 'accounts'];

/** The files of all areas in all languages, such as `./de/keys.json`. */
const files = import.meta.glob<object>('./*/*.json', { import: 'default' });

/** Languages of the dashboard. */
export const dashboardLanguages = [
  ...new Set(Object.keys(files).map((file) => file.split('/')[1] as Language)),
].toSorted();

const loadedAreas = new Set(COMMON);
let language: Language = fallbackLanguage;

/** Starts with the stored language, else the one that the browser prefers. */
export async function startTexts(): Promise<void> {
  // Pages may ask for their texts from now on.
  language =
    storedLanguage() ??
    preferredLanguage(navigator.languages.join(','), dashboardLanguages) ??
    fallbackLanguage;
  await i18next.use(initReactI18next).init({
    resources: {},
    fallbackLng: false,
    interpolation: { escapeValue: false },
    saveMissing: true,
    missingKeyHandler: (_languages, _namespace, name) => console.error(`There is no text ${name}`),
  });
  await chooseLanguage(language);
}

/** Loads the texts of areas in the language that is shown. */
export async function loadTexts(areas: readonly Area[]): Promise<void> {
  for (const area of areas) loadedAreas.add(area);
  await load(language, areas);
}

/** Loads a language and shows it. */
async function chooseLanguage(chosen: Language): Promise<void> {
  await load(chosen, [...loadedAreas]);
  language = chosen;
  await i18next.changeLanguage(chosen);
}

async function load(into: Language, areas: readonly Area[]): Promise<void> {
  await Promise.all(
    areas.map(async (area) => {
      const texts = await files[`./${into}/${area}.json`]!();
      i18next.addResourceBundle(into, 'translation', texts, true);
    }),
  );
}

/** Joins names as the language that is shown does: `Tools, Prompts`. */
export const listOf = (names: Iterable<string>): string =>
  new Intl.ListFormat(language, { style: 'narrow' }).format(names);

/** Returns the name of a language in that language. */
export const nameOfLanguage = (chosen: Language): string =>
  new Intl.DisplayNames([chosen], { type: 'language' }).of(chosen) ?? chosen;

/**
 * Shows a language, now and whenever the dashboard is opened in this browser; the pages that links
 * of e-mails lead to are in it as well.
 */
export function keepLanguage(chosen: Language): void {
  storeChoice(LANGUAGE_COOKIE, chosen);
  void chooseLanguage(chosen);
}

function storedLanguage(): Language | null {
  const stored = readChoice(LANGUAGE_COOKIE);
  return dashboardLanguages.find((one) => one === stored) ?? null;
}
