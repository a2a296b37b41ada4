import { ToolFailure } from '../../catalog/catalog.ts';
import { MAX_BYTES, MAX_URL, requireFew, tooLarge } from './request-size.ts';
import type { HttpTemplate } from './schema.ts';
import { isRecord } from './schema-walk.ts';
import {
  invalidArgument,
  onlyPlaceholder,
  parseTemplate,
  placeholdersOf,
  renderText,
  scalarText,
  valueOf,
} from './template.ts';
import type { Template, Values } from './template.ts';
import { encodingOf, pairsOf, pathText, requireDistinct } from './value-encoding.ts';
import type { NamedPart, Pair } from './value-encoding.ts';

/**
 * Builds the URL. Host and structure come from the template; an argument only fills in part of a
 * path segment or of the query, and names a query parameter only if it is an object whose encoding
 * says so (B8-6).
 */
export function urlOf(http: HttpTemplate, values: Values): string {
  const filled = fillUrl(http, parseTemplate(withRoot(http.url)), values);
  const parts = Object.entries(http.query).map(([name, text]) =>
    queryPart(name, { text, http, values }),
  );
  requireFew(parts.flatMap(({ written }) => written));
  requireDistinct(parts, new URLSearchParams(/\?(.*)/s.exec(filled)?.[1]).keys());
  const separator = filled.includes('?') ? '&' : '?';
  const query = encodePairs(parts.flatMap(({ written }) => written));
  const fullUrl = query === '' ? filled : `${filled}${separator}${query}`;
  if (fullUrl.length > MAX_URL) throw tooLarge();
  requireNormalized(fullUrl);
  return fullUrl;
}

function fillUrl(http: HttpTemplate, template: Template, values: Values): string {
  requireDistinct(matrixParts(http, template, values), matrixNames(template));
  const filled = renderText(template, values, (value, { name }) => {
    const own = encodingOf(http, 'path', name);
    const encode = (part: string) => encodePart(part, name);
    const text =
      own === undefined ? encode(scalarText(value, name)) : pathText(name, value, own, encode);
    if (text === '' || (own?.style === 'label' && text === '.'))
      throw invalidArgument(name, 'must not be empty: it is part of the URL');
    return text;
  });
  if (filled !== undefined) return filled;
  const missing = placeholdersOf(template).find(
    (placeholder) => valueOf(placeholder, values) === undefined,
  );
  throw invalidArgument(missing?.name ?? '', 'is required: it is part of the URL');
}

/** Returns the names that the arguments in `matrix` style write: `;name=value`. */
const matrixParts = (http: HttpTemplate, template: Template, values: Values): NamedPart[] =>
  placeholdersOf(template).flatMap((placeholder) => {
    const { name: argument } = placeholder;
    const own = encodingOf(http, 'path', argument);
    if (own?.style !== 'matrix') return [];
    const { name = argument, explode } = own;
    const value = valueOf(placeholder, values);
    const keys = explode === true && isRecord(value) ? Object.keys(value) : [];
    return [{ name, argument, written: keys.map((key) => ({ name: key })) }];
  });

/** Returns the names of the matrix parameters that are part of the URL's own text. */
const matrixNames = (template: Template): string[] =>
  template.flatMap((part) =>
    typeof part === 'string'
      ? [...part.matchAll(/;([^;=/?{}]+)/g)].map(([, name = '']) => decodeName(name))
      : [],
  );

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

interface QueryText {
  text: string;
  http: HttpTemplate;
  values: Values;
}

/** If a placeholder is the entire value, its argument may be an array or have an encoding. */
function queryPart(
  name: string,
  { text, http, values }: QueryText,
): NamedPart & { written: Pair[] } {
  const template = parseTemplate(text);
  const only = onlyPlaceholder(template);
  const one = (value: string): Pair => ({ name, values: [value], separator: ',' });
  if (only !== null) {
    const encoding = encodingOf(http, 'query', name);
    const value = valueOf(only, values);
    const written =
      encoding === undefined
        ? scalarsOf(value, only.name).map(one)
        : pairsOf(name, value, encoding, 'query');
    return { name, argument: only.name, written };
  }
  const rendered = renderText(template, values);
  return { name, argument: name, written: rendered === undefined ? [] : [one(rendered)] };
}

/** Returns the text of a plain value, or of each element of an array. */
function scalarsOf(value: unknown, name: string): string[] {
  return value === undefined ? [] : [value].flat().map((element) => scalarText(element, name));
}

const SEPARATORS = { ',': ',', ' ': '%20', '|': '%7C' };

/** Encodes pairs for a query or a form. */
export function encodePairs(pairs: readonly Pair[]): string {
  return pairs
    .map(({ name, values, separator }) => {
      const parts = values.map((value) => encodePart(value, name));
      return `${encodePart(name, name)}=${parts.join(SEPARATORS[separator])}`;
    })
    .join('&');
}

export function encodePart(text: string, name: string): string {
  if (text.length + 2 * quotesIn(text) > MAX_BYTES) throw tooLarge();
  if (!text.isWellFormed()) throw invalidArgument(name, 'must be well-formed Unicode');
  // The URL parser encodes `'` in a query, encodeURIComponent does not.
  return encodeURIComponent(text).replaceAll(/'/g, '%27');
}

/** Counts apostrophes: replacing a million of them would take a turn of the event loop. */
function quotesIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === QUOTE) count += 1;
  return count;
}

const QUOTE = 0x27;

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
