/** Two-letter codes in the language picker; e-mails are translated into fewer languages. */
export const supportedLanguages = [
  ...['ar', 'bg', 'bn', 'ca', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fa', 'fi', 'fr'],
  ...['he', 'hi', 'hr', 'hu', 'id', 'is', 'it', 'ja', 'ko', 'lt', 'lv', 'ms', 'nb', 'nl'],
  ...['no', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sr', 'sv', 'th', 'tr', 'uk', 'vi', 'zh'],
] as const;
export type Language = (typeof supportedLanguages)[number];

export const fallbackLanguage = 'en' satisfies Language;

/** Languages with a translation; all others fall back to English. */
export const translatedLanguages = [
  ...(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja', 'zh', 'ar'] as const),
] as const satisfies readonly Language[];
export type TranslatedLanguage = (typeof translatedLanguages)[number];

const supported: ReadonlySet<string> = new Set(supportedLanguages);
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'fa', 'he']);

// A language, optionally with a region and, before it, a script: `de`, `de-CH`, `zh-Hans-CN`.
const TAG = /^([A-Za-z]{2})(?:(?:-[A-Za-z]{4})?-(?:[A-Za-z]{2}|\d{3}))?$/;

/**
 * Returns the primary subtag of a tag in lower case, or null if the tag is invalid. Does not use
 * `Intl.Locale`, which would turn `eng-US` into `en` and `iw` into `he`.
 */
export function primarySubtag(tag: string): string | null {
  return TAG.exec(tag)?.[1]?.toLowerCase() ?? null;
}

const isSupported = (code: string): code is Language => supported.has(code);

/** Returns the language stored at sign-up: English for an unknown code, null for an invalid tag. */
export function languageAtSignUp(tag: string): Language | null {
  const code = primarySubtag(tag);
  if (code === null) return null;
  return isSupported(code) ? code : fallbackLanguage;
}

// Longer than any real header.
const MAX_HEADER_CHARACTERS = 1_000;

/** Returns the best of `offered` for an `Accept-Language` header; null if it names none of them. */
export function preferredLanguage<Offered extends Language>(
  header: string | null,
  offered: readonly Offered[],
): Offered | null {
  const preferences = (header ?? '')
    .slice(0, MAX_HEADER_CHARACTERS)
    .split(',')
    .map(parsePreference);
  const best = preferences
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ code }) => offered.find((language) => language === code))
    .find((language) => language !== undefined);
  return best ?? null;
}

/** Parses `de-CH;q=0.8` as `de` with quality 0.8; an invalid quality counts as 0. */
function parsePreference(text: string): { code: string; quality: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim());
  const code = tag.split('-')[0]!.toLowerCase();
  const quality = parameters.find((one) => /^q\s*=/i.test(one))?.replace(/^q\s*=\s*/i, '');
  if (quality === undefined) return { code, quality: 1 };
  return {
    code,
    quality: /^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.test(quality) ? Number(quality) : 0,
  };
}

export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language) ? 'rtl' : 'ltr';

/** Cookie in which the dashboard stores the language that a person chose for its pages. */
export const LANGUAGE_COOKIE = 'toolgate-language';

/** Returns the language of a page: the one chosen in the dashboard, else the browser's, else English. */
export function pageLanguage({
  cookies,
  accept_language,
}: {
  cookies: Readonly<Record<string, string | undefined>>;
  accept_language: string | null;
}): TranslatedLanguage {
  const chosen = translatedLanguages.find((language) => language === cookies[LANGUAGE_COOKIE]);
  return chosen ?? preferredLanguage(accept_language, translatedLanguages) ?? fallbackLanguage;
}
