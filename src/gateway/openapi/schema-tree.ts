type JsonObject = Record<string, unknown>;

const BY_NAME = ['properties', 'patternProperties'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const SINGLE = ['items', 'additionalProperties', 'not'] as const;

/**
 * Returns a copy of a schema whose inner schemas, at any depth, are replaced from the outside to the
 * inside. The second argument is the path of properties to a schema: `contact.email`.
 */
export function mapInner(
  schema: JsonObject,
  map: (inner: JsonObject, path: string) => JsonObject,
  path = '',
): JsonObject {
  const visit = (inner: unknown, innerPath: string): unknown =>
    isObject(inner) ? mapInner(map(inner, innerPath), map, innerPath) : inner;
  const copy = { ...schema };
  for (const keyword of BY_NAME)
    if (isObject(copy[keyword]))
      copy[keyword] = Object.fromEntries(
        Object.entries(copy[keyword]).map(([name, inner]) => [
          name,
          visit(inner, path === '' ? name : `${path}.${name}`),
        ]),
      );
  for (const keyword of LISTS)
    if (Array.isArray(copy[keyword]))
      copy[keyword] = copy[keyword].map((inner) => visit(inner, path));
  for (const keyword of SINGLE) if (keyword in copy) copy[keyword] = visit(copy[keyword], path);
  return copy;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
