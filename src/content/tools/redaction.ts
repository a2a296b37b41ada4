import { mapTexts } from '../../platform/text/map-texts.ts';

const REDACTED = '[secret]';
// A shorter one is found everywhere, and its owner knows better than to call it a secret.
const LEAST_CHARACTERS = 6;

/**
 * Makes what others said fit to be handed on: without the secrets a server may repeat of what it
 * was sent, and well-formed, since half a surrogate pair breaks the JSON readers of some clients.
 */
export interface Redaction {
  text(text: string): string;
  /** The same in every text and key of a JSON value. */
  json(value: unknown): unknown;
}

export function createRedaction(secrets: Iterable<string>): Redaction {
  const forms = [...secrets]
    .filter((secret) => secret.length >= LEAST_CHARACTERS)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      Buffer.from(secret).toString('base64'),
    ]);
  // The longest first, or a part of it would stay; at once, or one would be found in `[secret]`.
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const needles = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'g');
  const hidden = (given: string) =>
    longestFirst.length === 0 ? given : given.replaceAll(needles, REDACTED);
  const text = (given: string) => hidden(given).toWellFormed();

  return { text, json: (value) => mapTexts(value, text) };
}
