import { mapTexts } from '../../platform/text/map-texts.ts';

const REDACTED = '[secret]';
// Shorter strings match too much, and are hardly real secrets.
const MIN_CHARACTERS = 6;

/**
 * Sanitizes text from upstream servers: removes secrets that a server echoes, and makes the text
 * well-formed, since half a surrogate pair breaks the JSON parsers of some clients.
 */
export interface Redaction {
  text(text: string): string;
  /** Sanitizes every string and key of a JSON value. */
  json(value: unknown): unknown;
}

export function createRedaction(secrets: Iterable<string>): Redaction {
  const forms = [...secrets]
    .filter((secret) => secret.length >= MIN_CHARACTERS)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      Buffer.from(secret).toString('base64'),
    ]);
  // Longest first, or part of a longer form would remain; in one pass, or `[secret]` could match.
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'g');
  const redact = (given: string) =>
    longestFirst.length === 0 ? given : given.replaceAll(pattern, REDACTED);
  const text = (given: string) => redact(given).toWellFormed();

  return { text, json: (value) => mapTexts(value, text) };
}
