import type { Json, JsonObject } from './shorthand.ts';

/** Returns a value that fits a schema: with every property, or only the required ones. */
export function sampleOf(schema: Json, isFull: boolean, hint = 'v'): Json {
  if (typeof schema !== 'object' || schema === null) return hint;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [branch] = schema.anyOf ?? schema.oneOf ?? [];
  if (branch !== undefined) {
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    return sampleOf(merged([rest, branch]), isFull, hint);
  }
  if (schema.allOf !== undefined) {
    const { allOf, ...rest } = schema;
    return sampleOf(merged([rest, ...allOf]), isFull, hint);
  }
  const [type] = [schema.type ?? (schema.properties === undefined ? 'string' : 'object')].flat();
  if (type === 'object') return objectOf(schema, isFull, hint);
  if (type === 'array') {
    if (schema.prefixItems !== undefined)
      return schema.prefixItems.map((item: JsonObject) => sampleOf(item, isFull, hint));
    return [
      sampleOf(schema.items, isFull, `${hint},1`),
      sampleOf(schema.items, isFull, `${hint}|2 `),
    ];
  }
  if (type === 'integer' || type === 'number') return Math.max(7, schema.minimum ?? 0);
  if (type === 'boolean') return true;
  if (schema.pattern?.startsWith('^AC')) return `AC${'0'.repeat(32)}`;
  return `${hint} &=/é`;
}

function objectOf(schema: JsonObject, isFull: boolean, hint: string): JsonObject {
  const required: string[] = schema['required'] ?? [];
  const names =
    isFull || schema['minProperties'] > 0
      ? [...new Set([...Object.keys(schema['properties'] ?? {}), ...required])]
      : required;
  if (names.includes('base64'))
    return {
      base64: Buffer.from([0, 255, ...Buffer.from(hint)]).toString('base64'),
      ...(names.includes('media_type')
        ? { media_type: schema['properties'].media_type.enum?.[0] ?? 'image/webp' }
        : {}),
    };
  const entries = names.map((name) => [name, sampleOf(schema['properties']?.[name], isFull, name)]);
  const isOpen = typeof schema['additionalProperties'] === 'object' || names.length === 0;
  const more =
    isOpen && isFull && schema['additionalProperties'] !== false
      ? [['k&1', sampleOf(schema['additionalProperties'], isFull, 'more')]]
      : [];
  return Object.fromEntries([...entries, ...more]);
}

const merged = (schemas: JsonObject[]): JsonObject => {
  const flat = schemas.map((schema) =>
    schema['allOf'] ? merged([{ ...schema, allOf: undefined }, ...schema['allOf']]) : schema,
  );
  return {
    ...Object.assign({}, ...flat),
    properties: Object.assign({}, ...flat.map(({ properties }) => properties)),
    required: flat.flatMap(({ required = [] }) => required),
  };
};
