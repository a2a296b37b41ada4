/** The languages of the picker, as two-letter codes; wider than what letters are translated to. */
export const supportedLanguages = [
  ...['ar', 'bg', 'bn', 'ca', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fa', 'fi', 'fr'],
  ...['he', 'hi', 'hr', 'hu', 'id', 'is', 'it', 'ja', 'ko', 'lt', 'lv', 'ms', 'nb', 'nl'],
  ...['no', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sr', 'sv', 'th', 'tr', 'uk', 'vi', 'zh'],
] as const;
export type Language = (typeof supportedLanguages)[number];

export const fallbackLanguage = 'en' satisfies Language;

/** Languages with a file of sentences; whatever has none is said in English. */
export const translatedLanguages = [
  ...(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja', 'zh', 'ar'] as const),
] as const satisfies readonly Language[];
export type TranslatedLanguage = (typeof translatedLanguages)[number];

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

// Longer headers are nobody's wish for a language.
const LONGEST_HEADER = 1_000;

/** The best of `offered` by an `Accept-Language` header; null where it names none of them. */
export function preferredLanguage<Offered extends Language>(
  header: string | null,
  offered: readonly Offered[],
): Offered | null {
  const wishes = (header ?? '').slice(0, LONGEST_HEADER).split(',').map(readWish);
  const best = wishes
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ code }) => offered.find((language) => language === code))
    .find((language) => language !== undefined);
  return best ?? null;
}

/** `de-CH;q=0.8` → `de` with quality 0.8; what cannot be read is no wish. */
function readWish(text: string): { code: string; quality: number } {
  const [tag = '', ...parameters] = text.split(';').map((part) => part.trim());
  const code = tag.split('-')[0]!.toLowerCase();
  const written = parameters.find((one) => /^q\s*=/i.test(one))?.replace(/^q\s*=\s*/i, '');
  if (written === undefined) return { code, quality: 1 };
  return {
    code,
    quality: /^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.test(written) ? Number(written) : 0,
  };
}

export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language) ? 'rtl' : 'ltr';
