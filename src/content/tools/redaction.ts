const REDACTED = '[secret]';
// A shorter one is found everywhere, and its owner knows better than to call it a secret.
const LEAST_CHARACTERS = 6;

/** Takes a tool's secrets out of what others said: a server may repeat what it was sent. */
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
  // The longest first, or a part of it would stay.
  const needles = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const text = (given: string) =>
    needles.reduce((clean, needle) => clean.replaceAll(needle, REDACTED), given);

  function json(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [text(key), json(inner)]),
    );
  }

  return { text, json: needles.length === 0 ? (value) => value : json };
}
