import { ToolFailure } from '../../catalog/catalog.ts';
import { bodyOf } from './http-body.ts';
import { encodePart, urlOf } from './http-url.ts';
import { MAX_BYTES, MAX_URL, tooLarge } from './request-size.ts';
import type { HttpTemplate } from './schema.ts';
import {
  invalidArgument,
  onlyPlaceholder,
  parseTemplate,
  placeholdersOf,
  renderText,
  scalarText,
  templatesIn,
  valueOf,
} from './template.ts';
import type { Placeholder, Values } from './template.ts';
import { encodingOf, headerText, pairsOf } from './value-encoding.ts';

/** The complete outgoing request; contains no caller data except arguments (B8-7). */
export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  cookie?: string;
  body: string | Uint8Array | null;
}

/** Builds the request of one call; throws `ToolFailure` for arguments that cannot be sent. */
export function buildRequest(http: HttpTemplate, values: Values): HttpRequest {
  requireBounded(http, values);
  const headers = headersOf(http, values);
  const body = http.body === null ? null : bodyOf(http, values);
  if (body !== null && body.content_type !== null) headers['content-type'] = body.content_type;
  if (body !== null) headers['content-type'] ??= 'application/json';
  if (body !== null && Buffer.byteLength(body.content) > MAX_BYTES) throw tooLarge();
  const cookie = cookieOf(http, values);
  return {
    method: http.method,
    url: urlOf(http, values),
    headers,
    ...(cookie === '' ? {} : { cookie }),
    body: body?.content ?? null,
  };
}

/** Counts every occurrence of an argument, to reject an oversized request before building it. */
function requireBounded(http: HttpTemplate, values: Values): void {
  const sizes = new Map<string, number>();
  const sizeOf = (placeholder: Placeholder) => {
    const key = `${placeholder.from} ${placeholder.name}`;
    const size = sizes.get(key) ?? leastJsonSize(valueOf(placeholder, values));
    sizes.set(key, size);
    return size;
  };
  const require = (part: unknown, limit: number) => {
    let size = 0;
    for (const text of templatesIn(part))
      for (const placeholder of placeholdersOf(parseTemplate(text)))
        if ((size += sizeOf(placeholder)) > limit) throw tooLarge();
  };
  require([http.url, http.query], MAX_URL_ARGUMENTS);
  require([http.headers, http.cookies], MAX_HEADER_ARGUMENTS);
  require(http.body, MAX_BODY_ARGUMENTS);
}

// As JSON, arguments are at most three times as long as in the URL.
const MAX_URL_ARGUMENTS = 4 * MAX_URL;
// No server accepts more.
const MAX_HEADER_ARGUMENTS = 65_536;
// A file of the largest size is a third longer as base64.
const MAX_BODY_ARGUMENTS = 1.5 * MAX_BYTES;

/** Returns how long a value is as JSON at least: with no escapes, and numbers of one digit. */
function leastJsonSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  if (Array.isArray(value)) for (const inner of value) size += leastJsonSize(inner) + 1;
  else for (const key in value) size += key.length + leastJsonSize(value[key as never]) + 4;
  return size;
}

function headersOf(http: HttpTemplate, values: Values): Record<string, string> {
  const sent: Record<string, string> = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
  };
  for (const [name, text] of Object.entries(http.headers)) {
    const own = encodingOf(http, 'headers', name);
    const value = renderText(parseTemplate(text), values, (part, placeholder) =>
      requirePrintable(
        own === undefined
          ? scalarText(part, placeholder.name)
          : headerText(placeholder.name, part, own),
        placeholder,
      ),
    );
    if (value !== undefined) sent[name.toLowerCase()] = value;
  }
  return sent;
}

function requirePrintable(text: string, { from, name }: Placeholder): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  throw from === 'secrets'
    ? invalidSecret(name, 'a header')
    : invalidArgument(name, 'has characters that are not allowed in a header');
}

/** Never includes the secret's value. */
const invalidSecret = (secret: string, place: string) =>
  new ToolFailure(
    'secret_invalid',
    `The tool’s secret ${secret} has characters that are not allowed in ${place}. ` +
      'Its owner can set it again.',
    { secret },
  );

/** Returns the `cookie` header, or ''. Arguments are percent-encoded, secrets are sent as set. */
function cookieOf(http: HttpTemplate, values: Values): string {
  return Object.entries(http.cookies ?? {})
    .flatMap(([name, text]) => {
      const template = parseTemplate(text);
      const only = onlyPlaceholder(template);
      const own = encodingOf(http, 'cookies', name);
      if (own !== undefined && only !== null)
        return pairsOf(name, valueOf(only, values), own, 'cookies').map((pair) => {
          const parts = pair.values.map((value) => encodePart(value, only.name));
          return `${pair.name}=${parts.join(',')}`;
        });
      const value = renderText(template, values, cookieText);
      return value === undefined ? [] : [`${name}=${value}`];
    })
    .join('; ');
}

function cookieText(value: unknown, { from, name }: Placeholder): string {
  const text = scalarText(value, name);
  if (from === 'arguments') return encodePart(text, name);
  if (/^[\x20-\x3a\x3c-\x7e]*$/.test(text)) return text;
  throw invalidSecret(name, 'a cookie');
}
