/** The languages of the picker, as two-letter codes; wider than what letters are translated to. */
export const supportedLanguages = [
  ...['ar', 'bg', 'bn', 'ca', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fa', 'fi', 'fr'],
  ...['he', 'hi', 'hr', 'hu', 'id', 'is', 'it', 'ja', 'ko', 'lt', 'lv', 'ms', 'nb', 'nl'],
  ...['no', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sr', 'sv', 'th', 'tr', 'uk', 'vi', 'zh'],
] as const;
export type Language = (typeof supportedLanguages)[number];

export const fallbackLanguage = 'en' satisfies Language;

/** Languages that letters are meant to be written in; a letter without its text is English. */
export const translatedLanguages = [
  ...['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja', 'zh', 'ar'],
] as const satisfies readonly Language[];

const supported: ReadonlySet<string> = new Set(supportedLanguages);
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'fa', 'he']);

// Two letters, or two letters, an optional script and a region.
const TAG = /^([A-Za-z]{2})(?:(?:-[A-Za-z]{4})?-(?:[A-Za-z]{2}|\d{3}))?$/;

/**
 * The primary subtag of a tag exactly as it was written, or null if it is none. `Intl.Locale`
 * would first make `en` of `eng-US` and `he` of `iw`, so it is not asked.
 */
export function primarySubtag(tag: string): string | null {
  return TAG.exec(tag)?.[1]?.toLowerCase() ?? null;
}

const isSupported = (code: string): code is Language => supported.has(code);

/** At sign-up an unknown two-letter code is stored as English; null is not a code at all. */
export function languageAtSignUp(tag: string): Language | null {
  const code = primarySubtag(tag);
  if (code === null) return null;
  return isSupported(code) ? code : fallbackLanguage;
}

export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language) ? 'rtl' : 'ltr';
