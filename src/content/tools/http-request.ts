import { ToolFailure } from '../../catalog/tool-failure.ts';
import type { HttpTemplate } from './schema.ts';
import {
  invalidArgument,
  parseTemplate,
  placeholdersOf,
  renderJson,
  renderText,
  scalarText,
  templatesIn,
  valueOf,
} from './template.ts';
import type { Placeholder, Template, Values } from './template.ts';

const MAX_BYTES = 1_048_576;
const MAX_URL = 8_192;

/** The complete outgoing request; contains no caller data except arguments (B8-7). */
export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** Builds the request of one call; throws `ToolFailure` for arguments that cannot be sent. */
export function buildRequest(http: HttpTemplate, values: Values): HttpRequest {
  requireBounded(http, values);
  const headers = headersOf(http, values);
  const body = http.body === null ? null : bodyOf(http, values);
  if (body !== null) headers['content-type'] ??= 'application/json';
  if (body !== null && Buffer.byteLength(body) > MAX_BYTES) throw tooLarge();
  return { method: http.method, url: urlOf(http, values), headers, body };
}

/** Counts every occurrence of an argument, to reject an oversized request before building it. */
function requireBounded(http: HttpTemplate, values: Values): void {
  const sizes = new Map<string, number>();
  let total = 0;
  for (const text of templatesIn([http.url, http.query, http.headers, http.body]))
    for (const placeholder of placeholdersOf(parseTemplate(text))) {
      const key = `${placeholder.from} ${placeholder.name}`;
      if (!sizes.has(key))
        sizes.set(key, (JSON.stringify(valueOf(placeholder, values)) ?? '').length);
      total += sizes.get(key)!;
      if (total > MAX_BYTES) throw tooLarge();
    }
}

/**
 * Builds the URL. Host and structure come from the template; an argument only fills in part of a
 * path segment or of a query value (B8-6).
 */
function urlOf({ url, query }: HttpTemplate, values: Values): string {
  const template = parseTemplate(withRoot(url));
  const filled = fillUrl(template, values);
  const pairs = Object.entries(query).flatMap(([name, text]) =>
    queryValues(parseTemplate(text), values).map(
      (value) => `${encodePart(name, name)}=${encodePart(value, name)}`,
    ),
  );
  const separator = filled.includes('?') ? '&' : '?';
  const fullUrl = pairs.length === 0 ? filled : `${filled}${separator}${pairs.join('&')}`;
  if (fullUrl.length > MAX_URL) throw tooLarge();
  requireNormalized(fullUrl);
  return fullUrl;
}

function fillUrl(template: Template, values: Values): string {
  const filled = renderText(template, values, (text, { name }) => {
    if (text === '') throw invalidArgument(name, 'must not be empty: it is part of the URL');
    return encodePart(text, name);
  });
  if (filled !== undefined) return filled;
  const missing = placeholdersOf(template).find(
    (placeholder) => valueOf(placeholder, values) === undefined,
  );
  throw invalidArgument(missing?.name ?? '', 'is required: it is part of the URL');
}

/**
 * If a placeholder is the entire value, its argument may be an array, which repeats the parameter.
 */
function queryValues(template: Template, values: Values): string[] {
  const [only] = template;
  if (template.length === 1 && typeof only === 'object') return listOf(valueOf(only, values), only);
  const text = renderText(template, values);
  return text === undefined ? [] : [text];
}

function listOf(value: unknown, placeholder: Placeholder): string[] {
  if (value === undefined) return [];
  return [value].flat().map((element) => scalarText(element, placeholder));
}

function encodePart(text: string, name: string): string {
  if (!text.isWellFormed()) throw invalidArgument(name, 'must be well-formed Unicode');
  // The URL parser encodes `'` in a query, encodeURIComponent does not.
  return encodeURIComponent(text).replaceAll("'", '%27');
}

/**
 * Rejects a URL that the parser would change. `..` cannot be encoded, so an argument that forms
 * such a segment would escape the directory in the template.
 */
function requireNormalized(fullUrl: string): void {
  if (URL.parse(fullUrl)?.href === fullUrl) return;
  throw new ToolFailure('invalid_argument', 'An argument would change the path of the URL.');
}

/** Adds the slash that a URL has after its origin. */
export const withRoot = (url: string): string =>
  url.replace(/^(https?:\/\/[^/?#]+)(?=\?|$)/, '$1/');

function headersOf(http: HttpTemplate, values: Values): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
  };
  for (const [name, text] of Object.entries(http.headers)) {
    const value = renderText(parseTemplate(text), values, (part, placeholder) => {
      if (/^[\t\x20-\x7e]*$/.test(part)) return part;
      throw placeholder.from === 'secrets'
        ? invalidSecret(placeholder.name)
        : invalidArgument(placeholder.name, 'has characters that are not allowed in a header');
    });
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Never includes the secret's value. */
const invalidSecret = (secret: string) =>
  new ToolFailure(
    'secret_invalid',
    `The tool’s secret ${secret} has characters that are not allowed in a header. ` +
      'Its owner can set it again.',
    { secret },
  );

/** Serializes the body as its `content-type` requires. */
function bodyOf({ headers, body }: HttpTemplate, values: Values): string | null {
  const value = renderJson(body, values);
  if (value === undefined) return null;
  const form = bodyForm(headers);
  if (form === 'json') return JSON.stringify(value);
  return form === 'form' ? formOf(value) : scalarText(value, BODY_ARGUMENT);
}

/** Returns how the body is serialized, from the tool's literal `content-type`. */
export function bodyForm(headers: HttpTemplate['headers']): 'json' | 'form' | 'text' {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  const type = header?.[1].split(';')[0]!.trim().toLowerCase() ?? 'application/json';
  if (/^[^/]+\/(?:.+\+)?json$/.test(type)) return 'json';
  return type === 'application/x-www-form-urlencoded' ? 'form' : 'text';
}

function formOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidArgument('body', 'must be an object with the fields of the form');
  const form = new URLSearchParams();
  for (const [name, field] of Object.entries(value))
    for (const text of listOf(field ?? undefined, { from: 'arguments', name }))
      form.append(name, text);
  return form.toString();
}

const BODY_ARGUMENT: Placeholder = { from: 'arguments', name: 'body' };
const tooLarge = () =>
  new ToolFailure('too_large', 'With these arguments the request is too large. Shorten them.');
