import { follow } from './serializer.ts';
import type { Json, JsonObject } from './shorthand.ts';

const FORMATS: Readonly<Record<string, string>> = {
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  'date-time': '2026-05-04T09:30:00Z',
  date: '2026-05-04',
  email: 'ada@example.com',
  uri: 'https://example.com',
};

/**
 * Composes the example of a schema from those in it, as API references do: with every property, or
 * only the required ones. Throws if a text has no example.
 */
export function composeExample(document: JsonObject, schema: Json, isFull: boolean): Json {
  const compose = (inner: Json): Json => composeExample(document, inner, isFull);
  const { examples, default: fallback, ...one } = follow(document, schema);
  if (examples !== undefined) return examples[0];
  if (fallback !== undefined) return fallback;
  if (one['const'] !== undefined) return one['const'];
  if (one['enum'] !== undefined) return one['enum'][0];
  const choices: Json[] | undefined = one['anyOf'] ?? one['oneOf'];
  if (choices !== undefined) return compose(choices.find(({ type }) => type !== 'null'));
  if (one['allOf'] !== undefined) return Object.assign({}, ...one['allOf'].map(compose));
  if ([one['type']].flat().includes('null')) return null;
  switch (one['type'] ?? ('properties' in one ? 'object' : undefined)) {
    case 'string':
      if (one['format'] in FORMATS) return FORMATS[one['format']];
      throw new Error(`no example: ${JSON.stringify(schema)}`);
    case 'integer':
    case 'number':
      return one['minimum'] ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [compose(one['items'])];
    case 'object':
      return Object.fromEntries(
        Object.entries(one['properties'] ?? {})
          .filter(([name]) => isFull || (one['required'] ?? []).includes(name))
          .map(([name, inner]) => [name, compose(inner)]),
      );
    default:
      return null;
  }
}
