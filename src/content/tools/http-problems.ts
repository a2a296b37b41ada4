import { compile } from '@jmespath-community/jmespath';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import { FORBIDDEN_HEADERS } from '../../platform/outbound/outbound.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { MAX_PROBLEMS } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { bodyForm, withRoot } from './http-request.ts';
import type { HttpTemplate } from './schema.ts';
import { isRecord } from './schema-walk.ts';
import type { Schema } from './schema-walk.ts';
import { parseTemplate, placeholdersOf } from './template.ts';
import type { Placeholder, Template } from './template.ts';

const MAX_PLACEHOLDERS = 100;

/** Returns the names of the secrets a request needs, without duplicates. */
export function secretsOf(http: HttpTemplate): string[] {
  const placeholders = textsOf(http).flatMap(({ text }) => placeholdersOf(parseTemplate(text)));
  return [
    ...new Set(placeholders.filter(({ from }) => from === 'secrets').map(({ name }) => name)),
  ];
}

/**
 * Returns the problems of a request template, for a 422 response. If there are none, arguments
 * cannot change the request's destination.
 */
export function httpProblems(
  http: HttpTemplate,
  input_schema: Schema,
  outbound: Pick<Outbound, 'check'>,
): Problem[] {
  const parsed = textsOf(http).map((location) => ({
    ...location,
    template: parseOrMessage(location.text),
  }));
  const syntaxErrors = parsed.flatMap(({ pointer, template }) => {
    if (typeof template === 'string') return [problem('invalid_template', template, pointer)];
    // Names are sent literally: a placeholder in one would not be replaced.
    return pointer.includes('{{')
      ? [problem('invalid_template', 'Names must not contain placeholders.', pointer)]
      : [];
  });
  if (syntaxErrors.length > 0) return syntaxErrors.slice(0, MAX_PROBLEMS);

  const placeholders = parsed.flatMap(({ pointer, template }) =>
    placeholdersOf(template as Template).map((placeholder) => ({ pointer, placeholder })),
  );
  if (placeholders.length > MAX_PLACEHOLDERS)
    return [
      problem('invalid_template', `There must be at most ${MAX_PLACEHOLDERS} placeholders.`, ''),
    ];
  return [
    ...unknownPlaceholders(placeholders, input_schema),
    ...urlProblems(http, outbound),
    ...headerProblems(http),
    ...bodyProblems(http),
    ...queryProblems(http),
  ].slice(0, MAX_PROBLEMS);
}

interface Text {
  pointer: string;
  text: string;
}

function textsOf({ url, query, headers, body }: HttpTemplate): Text[] {
  return [{ url }, { query }, { headers }, { body }].flatMap((part) => [...texts(part, '')]);
}

function* texts(value: unknown, pointer: string): Generator<Text> {
  if (typeof value === 'string') yield { pointer, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* texts(inner, pointer + toJsonPointer([key]));
}

function parseOrMessage(text: string): Template | string {
  try {
    return parseTemplate(text);
  } catch (error) {
    return error instanceof Error ? error.message : 'Invalid template.';
  }
}

function unknownPlaceholders(
  placeholders: readonly { pointer: string; placeholder: Placeholder }[],
  { properties }: Schema,
): Problem[] {
  const known = isRecord(properties) ? properties : {};
  return placeholders.flatMap(({ pointer, placeholder: { from, name } }) => {
    if (from === 'secrets')
      return pointer === '/url'
        ? [
            problem(
              'invalid_template',
              'Secrets are only allowed in headers, the query and the body.',
              pointer,
            ),
          ]
        : [];
    return Object.hasOwn(known, name)
      ? []
      : [problem('unknown_placeholder', `The input schema has no property ${name}.`, pointer)];
  });
}

/** Codes of the problems that a template may have. */
export const httpErrors = [
  'address_not_public',
  'invalid_body',
  'invalid_header',
  'invalid_query',
  'invalid_template',
  'invalid_url',
  'unknown_placeholder',
  'url_not_allowed',
] as const satisfies readonly ErrorCode[];

/**
 * Scheme and host up to the first `/` or `?`, without placeholders, so that the origin is fixed.
 */
const LITERAL_ORIGIN = /^https?:\/\/[^/?#@{}\\\s]+(?:[/?]|$)/;

function urlProblems({ url }: HttpTemplate, outbound: Pick<Outbound, 'check'>): Problem[] {
  const refuse = (code: ErrorCode, message: string) => [problem(code, message, '/url')];
  const probe = withRoot(probeOf(url));
  try {
    outbound.check(probe);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return refuse(error.code, error.message);
  }
  if (!LITERAL_ORIGIN.test(url))
    return refuse('invalid_url', 'Scheme, host and port must not contain placeholders.');
  const { href } = new URL(probe);
  if (href.includes('#'))
    return refuse('invalid_url', 'The URL must not have a fragment: remove the `#`.');
  return href === probe
    ? []
    : refuse('invalid_url', `The URL must be in normalized form: ${href.slice(0, 300)}`);
}

/** Replaces the placeholders by text that no URL parser changes. */
const probeOf = (text: string) =>
  parseTemplate(text)
    .map((part) => (typeof part === 'string' ? part : 'x'))
    .join('');

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

function headerProblems({ headers }: HttpTemplate): Problem[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.entries(headers).flatMap(([name, value], index) => {
    const lower = name.toLowerCase();
    const refuse = (message: string) => [problem('invalid_header', message, `/headers/${name}`)];
    if (!TOKEN.test(name)) return refuse('Must be a valid header name.');
    if (FORBIDDEN_HEADERS.has(lower)) return refuse('This header is set by the gateway.');
    if (names.indexOf(lower) < index) return refuse('This header is duplicated.');
    if (!/^[\t\x20-\x7e]*$/.test(value)) return refuse('Header values must be printable ASCII.');
    if (lower === 'content-type' && value.includes('{{'))
      return refuse(
        'The content type must not contain placeholders: it determines how the body is serialized.',
      );
    return [];
  });
}

function bodyProblems({ method, headers, body }: HttpTemplate): Problem[] {
  if (body === null) return [];
  const refuse = (message: string) => [problem('invalid_body', message, '/body')];
  if (method === 'GET') return refuse('A GET request must not have a body.');
  const form = bodyForm(headers);
  if (form === 'form' && !isRecord(body) && !isPlaceholder(body))
    return refuse('The body of a form must be an object.');
  return form === 'text' && typeof body !== 'string'
    ? refuse('With this content type the body must be a string.')
    : [];
}

/** Whether the text is a single placeholder and nothing else; its value may then be an object. */
function isPlaceholder(body: unknown): boolean {
  const template = typeof body === 'string' ? parseTemplate(body) : [];
  return template.length === 1 && placeholdersOf(template).length === 1;
}

function queryProblems({ response }: HttpTemplate): Problem[] {
  if (response.query === null) return [];
  const refuse = (message: string) => [problem('invalid_query', message, '/response/query')];
  if (response.format === 'text') return refuse('A query requires JSON, but `format` is `text`.');
  try {
    compile(response.query);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : '';
    return refuse(`Invalid JMESPath expression: ${reason}`);
  }
}

const problem = (code: ErrorCode, message: string, pointer: string): Problem => ({
  code,
  message,
  detail: { pointer: `/http${pointer}` },
});
