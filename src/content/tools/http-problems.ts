import { compile } from '@jmespath-community/jmespath';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import { FORBIDDEN_HEADERS } from '../../platform/outbound/outbound.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { MAX_PROBLEMS } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { encodingProblems } from './encoding-problems.ts';
import { bodyForm } from './http-body.ts';
import { withRoot } from './http-url.ts';
import type { HttpTemplate } from './schema.ts';
import { isRecord } from './schema-walk.ts';
import type { Schema } from './schema-walk.ts';
import { onlyPlaceholder, parseTemplate, placeholdersOf } from './template.ts';
import type { Placeholder, Template } from './template.ts';
import { namesWithPlaceholder, sizeFault, textsOf } from './template-texts.ts';
import type { TemplateText } from './template-texts.ts';
import { encodingOf } from './value-encoding.ts';

/** Returns the names of the secrets a request needs, without duplicates. */
export function secretsOf(http: HttpTemplate): string[] {
  const placeholders = textsOf(http).flatMap(({ text }) => placeholdersOf(parseTemplate(text)));
  return [
    ...new Set(placeholders.filter(({ from }) => from === 'secrets').map(({ name }) => name)),
  ];
}

/**
 * Returns where a request sends a secret: the header, query parameter or part of the body, the text
 * that contains its placeholder, and how that is written. The order of keys does not count: stored
 * content has another.
 */
export function secretPlacesOf(http: HttpTemplate, secret: string): string {
  const contains = ({ text }: TemplateText) =>
    placeholdersOf(parseTemplate(text)).some(
      ({ from, name }) => from === 'secrets' && name === secret,
    );
  const places = textsOf(http).filter(contains);
  return JSON.stringify(
    places
      .toSorted((a, b) => (a.pointer < b.pointer ? -1 : 1))
      .map((place) => [place, writtenAs(http, place)]),
  );
}

/** Returns all that decides how the text of a place is written in the request. */
function writtenAs(http: HttpTemplate, { location, name }: TemplateText): unknown[] {
  const { style, explode, content_type } =
    (location === 'url' ? undefined : encodingOf(http, location, name)) ?? {};
  return [style, explode, content_type, location === 'body' ? bodyForm(http.headers) : null];
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
  const fault = sizeFault(http);
  if (fault !== null) return [problem('invalid_template', fault, '')];
  const parsed = textsOf(http).map((location) => ({
    ...location,
    template: parseOrMessage(location.text),
  }));
  const syntaxErrors = [
    ...parsed.flatMap(({ pointer, template }) =>
      typeof template === 'string' ? [problem('invalid_template', template, pointer)] : [],
    ),
    // Names are sent literally: a placeholder in one would not be replaced.
    ...namesWithPlaceholder(http).map((pointer) =>
      problem('invalid_template', 'Names must not contain placeholders.', pointer),
    ),
  ];
  if (syntaxErrors.length > 0) return syntaxErrors.slice(0, MAX_PROBLEMS);

  const placeholders = parsed.flatMap(({ pointer, template }) =>
    placeholdersOf(template as Template).map((placeholder) => ({ pointer, placeholder })),
  );
  return [
    ...unknownPlaceholders(placeholders, input_schema),
    ...urlProblems(http, outbound),
    ...headerProblems(http),
    ...cookieProblems(http),
    ...bodyProblems(http),
    ...encodingProblems(http),
    ...queryProblems(http),
  ].slice(0, MAX_PROBLEMS);
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
              'Secrets are only allowed in headers, cookies, the query and the body.',
              pointer,
            ),
          ]
        : [];
    return Object.hasOwn(known, name)
      ? []
      : [problem('unknown_placeholder', `The arguments schema has no property ${name}.`, pointer)];
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

function cookieProblems({ cookies = {} }: HttpTemplate): Problem[] {
  return Object.entries(cookies).flatMap(([name, value]) => {
    const refuse = (message: string) => [
      problem('invalid_header', message, `/cookies${toJsonPointer([name])}`),
    ];
    if (!TOKEN.test(name)) return refuse('Must be a valid cookie name.');
    return /^[\x20-\x3a\x3c-\x7e]*$/.test(value)
      ? []
      : refuse('Cookie values must be printable ASCII without `;`.');
  });
}

function bodyProblems({ headers, body }: HttpTemplate): Problem[] {
  if (body === null) return [];
  const refuse = (message: string) => [problem('invalid_body', message, '/body')];
  const form = bodyForm(headers);
  const isFields = isRecord(body) || isPlaceholder(body);
  if ((form === 'form' || form === 'multipart') && !isFields)
    return refuse('The body of a form must be an object.');
  return form === 'text' && typeof body !== 'string'
    ? refuse('With this content type the body must be a string.')
    : [];
}

/** Whether the text is a single placeholder and nothing else; its value may then be an object. */
const isPlaceholder = (body: unknown): boolean =>
  typeof body === 'string' && onlyPlaceholder(parseTemplate(body)) !== null;

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
