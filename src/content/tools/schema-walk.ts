import { toJsonPointer } from '../../platform/json/json-pointer.ts';

/** A JSON Schema object; the schemas `true` and `false` need no checks. */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema inside another, with its position. */
export interface Subschema {
  schema: Schema;
  /** JSON Pointer from the root. */
  pointer: string;
  /** Whether every step from the root is a `properties` keyword. */
  byProperties: boolean;
}

export const SINGLE_SCHEMAS = new Set(
  (
    'additionalProperties unevaluatedProperties unevaluatedItems propertyNames contains not if ' +
    'then else items'
  ).split(' '),
);
export const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
export const SCHEMA_MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the subschemas that a validator applies, except through `$ref`. */
function childrenOf({ schema, pointer, byProperties }: Subschema): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const inner = (child: unknown, path: PropertyKey[], isProperties = false): Subschema[] =>
      isRecord(child)
        ? [
            {
              schema: child,
              pointer: pointer + toJsonPointer(path),
              byProperties: byProperties && isProperties,
            },
          ]
        : [];
    if (SINGLE_SCHEMAS.has(keyword)) return inner(value, [keyword]);
    if (SCHEMA_LISTS.has(keyword) && Array.isArray(value))
      return value.flatMap((child, index) => inner(child, [keyword, index]));
    if (SCHEMA_MAPS.has(keyword) && isRecord(value))
      return Object.entries(value).flatMap(([key, child]) =>
        inner(child, [keyword, key], keyword === 'properties'),
      );
    return [];
  });
}

/** Yields every schema of a document once: from the root, and from each of its `$defs`. */
export function* subschemasOf(root: Schema): Generator<Subschema> {
  const defs = isRecord(root['$defs']) ? Object.entries(root['$defs']) : [];
  const queue: Subschema[] = [
    { schema: root, pointer: '', byProperties: true },
    ...defs.flatMap(([name, schema]) =>
      isRecord(schema)
        ? [{ schema, pointer: toJsonPointer(['$defs', name]), byProperties: false }]
        : [],
    ),
  ];
  for (let subschema = queue.shift(); subschema !== undefined; subschema = queue.shift()) {
    yield subschema;
    queue.push(...childrenOf(subschema));
  }
}

/**
 * Counts the schemas with each `$ref` expanded; Infinity if one is circular. A property in
 * `dependentRequired` counts too: a validator has code of its own for each.
 */
export function expandedSize(root: Schema): number {
  const defs = root['$defs'] as Schema | undefined;
  const sizes = new Map<unknown, number>();
  const sizeOf = (schema: unknown): number => {
    if (!isRecord(schema)) return 1;
    const known = sizes.get(schema);
    if (known !== undefined) return known;
    sizes.set(schema, Infinity);
    const ref = schema['$ref'];
    const children: unknown[] = childrenOf({ schema, pointer: '', byProperties: false }).map(
      (subschema) => subschema.schema,
    );
    if (typeof ref === 'string') children.push(defs?.[defName(ref)!]);
    const own =
      1 + Object.keys(schema['dependentRequired'] ?? {}).length + booleanChildrenOf(schema);
    const size = children.reduce<number>((sum, child) => sum + sizeOf(child), own);
    sizes.set(schema, size);
    return size;
  };
  return sizeOf(root);
}

/** Counts the subschemas `true` and `false`, which a validator applies like others. */
function booleanChildrenOf(schema: Schema): number {
  const children = Object.entries(schema).flatMap(([keyword, value]): unknown[] => {
    if (SINGLE_SCHEMAS.has(keyword)) return [value];
    if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value;
    return SCHEMA_MAPS.has(keyword) && isRecord(value) ? Object.values(value) : [];
  });
  return children.filter((child) => typeof child === 'boolean').length;
}

/** Returns the name in `#/$defs/<name>`, the only supported form of `$ref`; else null. */
export function defName(ref: string): string | null {
  const name = /^#\/\$defs\/([\w.-]+)$/.exec(ref)?.[1];
  return name ?? null;
}
