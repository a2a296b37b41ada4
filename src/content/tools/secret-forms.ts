import { encodePart } from './http-url.ts';
import { asciiJson } from './value-encoding.ts';

/**
 * Returns the texts in which a server may repeat a secret: as the gateway's own encoders send it,
 * and as servers usually write what they were sent.
 */
export function secretForms(secret: string): Set<string> {
  const json = inQuotes(JSON.stringify(secret));
  const sent = [secret, json, inQuotes(asciiJson(secret))];
  // The content of a file, which a template holds as Base64.
  const file = Buffer.from(secret, 'base64').toString();
  const urlEncoded = [secret, json].flatMap((text) => [
    encodePart(text, ''),
    encodeURIComponent(text),
    new URLSearchParams([['', text]]).toString().slice(1),
  ]);
  return new Set([
    ...sent,
    ...[...sent, file].map((text) => inQuotes(JSON.stringify(text))),
    ...urlEncoded,
    Buffer.from(secret).toString('base64'),
    file,
  ]);
}

const inQuotes = (json: string) => json.slice(1, -1);
