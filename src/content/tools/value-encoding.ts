import { MAX_WRITTEN, tooLarge } from './request-size.ts';
import type { Encoding, HttpTemplate, ValueEncoding } from './schema.ts';
import { invalidArgument, scalarText } from './template.ts';

/** One `name=value`; several values are separated by `separator`, which is never encoded twice. */
export interface Pair {
  name: string;
  values: string[];
  separator: ',' | ' ' | '|';
}

type Encode = (text: string) => string;

const SEPARATORS = { spaceDelimited: ' ', pipeDelimited: '|' } as const;

/** Returns the encoding that a template declares for a value, if any. */
export function encodingOf(
  { encoding = {} }: Pick<HttpTemplate, 'encoding'>,
  location: keyof Encoding,
  name: string,
): ValueEncoding | undefined {
  const encodings = encoding[location] ?? {};
  return Object.hasOwn(encodings, name) ? encodings[name] : undefined;
}

/** Whether the value is serialized as JSON. */
export const isJsonEncoding = ({ content_type = '' }: ValueEncoding): boolean =>
  /^[^/]+\/(?:.+\+)?json(?:\s*;|$)/i.test(content_type.trim());

/**
 * Returns how pairs of a location are written, with OpenAPI's defaults. Cookies are never exploded:
 * the keys of an object would name other cookies.
 */
function pairStyle(
  location: 'query' | 'body' | 'cookies',
  { style = 'form', explode = style === 'form' }: ValueEncoding,
) {
  return { style, explode: explode && location !== 'cookies' };
}

/** Serializes a value for a query, a form or cookies; throws `ToolFailure` if its style cannot. */
export function pairsOf(
  name: string,
  value: unknown,
  encoding: ValueEncoding,
  location: 'query' | 'body' | 'cookies',
): Pair[] {
  if (value === undefined || value === null) return [];
  const one = (...values: string[]): Pair => ({ name, values, separator: ',' });
  if (isJsonEncoding(encoding)) return [one(JSON.stringify(value))];
  const { style, explode } = pairStyle(location, encoding);
  if (style === 'deepObject') return deepPairs(name, value);
  if (typeof value !== 'object') return [one(scalarText(value, name))];
  if (!explode) {
    const values = flatList(value, name);
    const separator = style in SEPARATORS ? SEPARATORS[style as keyof typeof SEPARATORS] : ',';
    return values.length === 0 ? [] : [{ name, values, separator }];
  }
  if (Array.isArray(value)) return present(value).map((element) => one(scalarText(element, name)));
  return members(value).map(([key, member]) => ({ ...one(scalarText(member, name)), name: key }));
}

/** Writes `name[key]=value`; elements of arrays get their index as key, as PHP and `qs` read it. */
function deepPairs(name: string, value: unknown, found: Pair[] = []): Pair[] {
  if (value === undefined || value === null) return found;
  if (found.length > MAX_WRITTEN) throw tooLarge();
  if (typeof value !== 'object')
    found.push({ name, values: [scalarText(value, name)], separator: ',' });
  else
    for (const key of Object.keys(value)) deepPairs(`${name}[${key}]`, value[key as never], found);
  return found;
}

/** Serializes a value for a path: `a,b` (`simple`), `.a.b` (`label`) or `;name=a` (`matrix`). */
export function pathText(
  argument: string,
  value: unknown,
  encoding: ValueEncoding,
  encode: Encode,
): string {
  const { style = 'simple', explode = false, name = argument } = encoding;
  const text = (element: unknown) => encode(scalarText(element, argument));
  if (isJsonEncoding(encoding)) return encode(JSON.stringify(value));
  if (style === 'simple') return simpleText(argument, value, explode, encode);
  if (style === 'matrix') {
    const one = (key: string, inner: string) =>
      inner === '' ? `;${encode(key)}` : `;${encode(key)}=${inner}`;
    if (typeof value !== 'object' || value === null) return one(name, text(value));
    if (!explode) return one(name, flatList(value, argument).map(encode).join(','));
    return Array.isArray(value)
      ? present(value)
          .map((element) => one(name, text(element)))
          .join('')
      : members(value)
          .map(([key, member]) => one(key, text(member)))
          .join('');
  }
  if (typeof value !== 'object' || value === null) return `.${text(value)}`;
  if (!explode) return `.${flatList(value, argument).map(encode).join(',')}`;
  return Array.isArray(value)
    ? present(value)
        .map((element) => `.${text(element)}`)
        .join('')
    : members(value)
        .map(([key, member]) => `.${encode(key)}=${text(member)}`)
        .join('');
}

/** Serializes a value for a header, which is not percent-encoded. */
export const headerText = (argument: string, value: unknown, encoding: ValueEncoding): string =>
  isJsonEncoding(encoding)
    ? asciiJson(value)
    : simpleText(argument, value, encoding.explode === true, (text) => text);

function simpleText(argument: string, value: unknown, explode: boolean, encode: Encode): string {
  if (typeof value !== 'object' || value === null) return encode(scalarText(value, argument));
  if (!explode || Array.isArray(value)) return flatList(value, argument).map(encode).join(',');
  return members(value)
    .map(([key, member]) => `${encode(key)}=${encode(scalarText(member, argument))}`)
    .join(',');
}

/** Returns the elements of an array, or the keys and values of an object in turn. */
function flatList(value: object, argument: string): string[] {
  if (Array.isArray(value)) return present(value).map((element) => scalarText(element, argument));
  return members(value).flatMap(([key, member]) => [key, scalarText(member, argument)]);
}

const present = (elements: readonly unknown[]) =>
  elements.filter((element) => element !== undefined && element !== null);

function members(value: object): [string, unknown][] {
  if (Object.keys(value).length > MAX_WRITTEN) throw tooLarge();
  return Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
}

/** Escapes characters that a header must not contain; JSON allows that inside its strings. */
export const asciiJson = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The names and values that one part of a template writes; the keys of an exploded object are names of their own. */
export interface NamedPart {
  name: string;
  argument: string;
  written: readonly { name: string }[];
}

/**
 * Throws if an exploded object has a property with the name of another part of the request, of a
 * part of another object, or of a literal part.
 */
export function requireDistinct(parts: readonly NamedPart[], literal: Iterable<string>): void {
  const owners = new Map<string, NamedPart | null>([...literal].map((name) => [name, null]));
  for (const part of parts) owners.set(part.name, part);
  for (const part of parts)
    for (const { name } of part.written) {
      if (name === part.name) continue;
      const owner = owners.get(name);
      if (owner !== undefined && owner !== part)
        throw invalidArgument(
          part.argument,
          `must not have the property ${name.slice(0, 200)}: the request has it`,
        );
      owners.set(name, part);
    }
}
