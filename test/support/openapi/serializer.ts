import type { OpenApi } from './documents.ts';
import type { Json, JsonObject } from './shorthand.ts';

/** Follows local references, and nothing else. */
export function follow(document: OpenApi, value: Json): JsonObject {
  let found = value;
  while (typeof found?.$ref === 'string') {
    found = document;
    for (const part of value.$ref.slice(2).split('/'))
      found = found[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')];
    value = found;
  }
  return found;
}

export function parametersOf(
  document: OpenApi,
  path: JsonObject,
  operation: JsonObject,
): JsonObject[] {
  const all = [...(path['parameters'] ?? []), ...(operation['parameters'] ?? [])].map((one) =>
    follow(document, one),
  );
  return all.filter(
    (one, index) =>
      !all.some(
        (later, at) => at > index && later['name'] === one['name'] && later['in'] === one['in'],
      ),
  );
}

/**
 * Expands one RFC 6570 expression, as OpenAPI defines its styles: `{x}`, `{.x}`, `{;x}`, `{?x}`, each
 * with `*` if exploded.
 */
function expand(
  operator: '' | '.' | ';' | '?',
  name: string,
  value: unknown,
  { explode, delimiter = ',' }: { explode: boolean; delimiter?: string },
): string {
  const separator = { '': ',', '.': '.', ';': ';', '?': '&' }[operator];
  const first = { '': '', '.': '.', ';': ';', '?': '' }[operator];
  const isNamed = operator === ';' || operator === '?';
  const named = (key: string, text: string) =>
    text === '' && operator === ';' ? encode(key) : `${encode(key)}=${text}`;
  if (typeof value !== 'object' || value === null)
    return first + (isNamed ? named(name, encode(value)) : encode(value));
  const pairs = Object.entries(value);
  if (explode) {
    const parts = Array.isArray(value)
      ? value.map((one) => (isNamed ? named(name, encode(one)) : encode(one)))
      : pairs.map(([key, one]) => `${encode(key)}=${encode(one)}`);
    return first + parts.join(separator);
  }
  const flat = Array.isArray(value) ? value.map(encode) : pairs.flat().map(encode);
  return first + (isNamed ? named(name, flat.join(delimiter)) : flat.join(','));
}

const encode = (value: unknown) => encodeURIComponent(String(value)).replaceAll("'", '%27');

export function pathPart(
  { name, style = 'simple', explode = false }: JsonObject,
  value: unknown,
): string {
  return expand(style === 'label' ? '.' : style === 'matrix' ? ';' : '', name, value, { explode });
}

export function queryParts(
  { name, style = 'form', explode = style === 'form', content }: JsonObject,
  value: unknown,
): string[] {
  if (content !== undefined)
    return [`${encode(name)}=${encode(typeof value === 'string' ? value : JSON.stringify(value))}`];
  if (style === 'deepObject') return deep(name, value);
  const delimiter = { spaceDelimited: '%20', pipeDelimited: '%7C' }[String(style)] ?? ',';
  return expand('?', name, value, { explode, delimiter }).split('&');
}

const deep = (name: string, value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, one]) => deep(`${name}[${key}]`, one))
    : [`${encode(name)}=${encode(value)}`];

export function headerPart({ explode = false, content }: JsonObject, value: unknown): string {
  if (content !== undefined) return JSON.stringify(value);
  return decodeURIComponent(expand('', '', value, { explode }));
}

export const cookiePart = ({ name, explode = true }: JsonObject, value: unknown): string =>
  expand('?', name, value, { explode });

/** Returns the fields of a form as a server decodes them. */
export function formFields(media: JsonObject, body: JsonObject): [string, string][] {
  return Object.entries(body).flatMap(([name, value]) => {
    const own = media['encoding']?.[name];
    if (own?.style !== undefined || own?.explode !== undefined)
      return queryParts({ name, ...own }, value).map((part) => {
        const [key = '', text = ''] = part.split('=').map(decodeURIComponent);
        return [key, text] as [string, string];
      });
    return [value]
      .flat()
      .map((one): [string, string] => [
        name,
        typeof one === 'object' ? JSON.stringify(one) : String(one),
      ]);
  });
}
