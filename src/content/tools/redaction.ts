import { mapTexts } from '../../platform/text/map-texts.ts';

const REDACTED = '[secret]';
// Shorter strings match too much, and are unlikely to be secrets.
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
  // Longest first, so that no part of a longer form remains; in one pass, so that no secret matches
  // part of `[secret]`.
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'g');
  const redact = (input: string) =>
    longestFirst.length === 0 ? input : input.replaceAll(pattern, REDACTED);
  const text = (input: string) => redact(input).toWellFormed();

  return { text, json: (value) => mapTexts(value, text) };
}
