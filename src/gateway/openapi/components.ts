import { z } from 'zod';
import { publication } from '../../platform/http/publication.ts';

type Direction = 'input' | 'output';
type JsonObject = Record<string, unknown>;

/**
 * Creates an empty collection of the named schemas of the document; throws if two different schemas
 * have the same `id`.
 */
export function createComponents() {
  const named = { input: new Map<string, JsonObject>(), output: new Map<string, JsonObject>() };
  const names = { input: new Map<string, string>(), output: new Map<string, string>() };

  function add(direction: Direction, name: string, schema: JsonObject): void {
    const text = JSON.stringify(schema);
    const earlier = named[direction].get(name);
    if (earlier !== undefined && JSON.stringify(earlier) !== text)
      throw new Error(`two schemas of ${direction} are called ${name}`);
    named[direction].set(name, schema);
    if (!names[direction].has(text)) names[direction].set(text, name);
  }

  /** Returns a schema that refers to the schemas with names in it, which it adds. */
  function convert(schema: z.ZodType, direction: Direction): JsonObject {
    const { $schema: _, ...root } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => publishFields(zodSchema, jsonSchema),
    });
    return normalize(root, direction);
  }

  function normalize(schema: JsonObject, direction: Direction): JsonObject {
    return mapObjects(schema, ({ $defs = {}, $ref, ...rest }) => {
      for (const [name, definition] of Object.entries($defs as Record<string, JsonObject>))
        add(direction, name, normalize(definition, direction));
      const reference = typeof $ref === 'string' ? { $ref: `${direction}:${nameIn($ref)}` } : {};
      return { ...simplify(rest, direction), ...reference };
    });
  }

  return {
    /**
     * Returns a reference to a schema. Its name, and that of each schema in it, is the `id` in its
     * metadata. If it has none: that of its items and `List`, if it is a page, else `fallback`.
     */
    refer(schema: z.ZodType, direction: Direction, fallback: string) {
      const root = convert(schema, direction);
      if ('$ref' in root) return root;
      const name = names[direction].get(JSON.stringify(root)) ?? pageName(root) ?? fallback;
      add(direction, name, root);
      return { $ref: `${direction}:${name}` };
    },
    /** Returns a schema without a name, for a parameter. */
    inline: (schema: z.ZodType) => convert(schema, 'input'),
    /**
     * Returns the schemas by name, and the document with its references to them. A schema that
     * differs in requests and responses is called `NameInput` in requests. One that differs only
     * because defaults may be omitted is published as in requests, so that clients can send back
     * what they received.
     */
    finish(document: JsonObject): { schemas: Record<string, JsonObject>; document: JsonObject } {
      const differing = findDiffering(named);
      const publish = (ref: string) => {
        const [direction, name] = ref.split(':') as [Direction, string];
        if (!(direction in named)) return ref;
        return `${SCHEMAS}${direction === 'input' && differing.has(name) ? `${name}Input` : name}`;
      };
      const schemas: Record<string, JsonObject> = {};
      for (const direction of ['output', 'input'] as const)
        for (const [name, schema] of named[direction])
          schemas[nameIn(publish(`${direction}:${name}`))] = mapReferences(schema, publish);
      return {
        schemas: Object.fromEntries(
          Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)),
        ),
        document: mapReferences(document, publish),
      };
    },
  };
}
export type Components = ReturnType<typeof createComponents>;

/** The prefix of references to schemas. */
export const SCHEMAS = '#/components/schemas/';
const nameIn = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);

/**
 * Applies the publication of fields, and removes those that no body may have, as
 * `z.undefined().optional()` says of one variant of a union: JSON Schema would allow any value there.
 */
function publishFields(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodObject) || json.properties === undefined) return;
  const shape = schema.shape as Record<string, z.ZodType | undefined>;
  const isPublishedAs = (name: string, as: 'required' | 'omitted') =>
    shape[name] !== undefined && publication.get(shape[name])?.as === as;
  const names = Object.keys(json.properties);
  const required = names.filter((name) => isPublishedAs(name, 'required'));
  if (required.length > 0) json.required = [...(json.required ?? []), ...required];
  json.properties = Object.fromEntries(
    Object.entries(json.properties).filter(
      ([name]) => !isAbsent(shape[name]) && !isPublishedAs(name, 'omitted'),
    ),
  );
}

const isAbsent = (field: z.core.$ZodType | undefined): boolean =>
  field instanceof z.ZodUndefined || (field instanceof z.ZodOptional && isAbsent(field.unwrap()));

/**
 * Removes what says nothing (the pattern of a format, the bounds of safe integers, that names are
 * strings and other properties anything, that the default of what may be null is null), and what would make clients reject later versions; shortens what may be null.
 */
function simplify(schema: JsonObject, direction: Direction): JsonObject {
  const flat = withNullType(schema);
  const isImplied: Record<string, boolean> = {
    pattern: typeof flat['format'] === 'string',
    minimum: flat['minimum'] === Number.MIN_SAFE_INTEGER,
    maximum: flat['maximum'] === Number.MAX_SAFE_INTEGER,
    default: flat['default'] === null && acceptsNull(flat),
    propertyNames: JSON.stringify(flat['propertyNames']) === '{"type":"string"}',
    additionalProperties: isOpen(flat, direction),
  };
  return Object.fromEntries(Object.entries(flat).filter(([name]) => isImplied[name] !== true));
}

/** Whether null is allowed; an omitted value is then null. */
const acceptsNull = ({ type, anyOf }: JsonObject) =>
  [type].flat().includes('null') ||
  (Array.isArray(anyOf) && anyOf.some((one: JsonObject) => one['type'] === 'null'));

/** Whether other properties may have any value, as they may without the keyword. */
const isOpen = ({ additionalProperties: others, properties }: JsonObject, direction: Direction) =>
  (direction === 'output' && others === false) ||
  // Next to declared properties, it says that others are to be expected.
  (properties === undefined && JSON.stringify(others) === '{}');

/** Returns `type: [string, null]` for a choice of a string and null. */
function withNullType(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [first, second] = anyOf as [JsonObject, JsonObject];
  const isPlain = typeof first['type'] === 'string' && !('enum' in first) && !('const' in first);
  return isPlain && second['type'] === 'null'
    ? { ...first, type: [first['type'], 'null'], ...rest }
    : schema;
}

/** Returns `KeyList` for a page of `Key`. */
function pageName({ properties }: JsonObject): string | undefined {
  const { data, next_cursor } = (properties ?? {}) as Record<string, JsonObject>;
  const item = data?.['items'] as { $ref?: string } | undefined;
  if (next_cursor === undefined || item?.$ref === undefined) return undefined;
  return `${item.$ref.slice(item.$ref.indexOf(':') + 1)}List`;
}

/** Returns the names of the schemas that differ in requests and responses, or refer to such ones. */
function findDiffering(named: Record<Direction, ReadonlyMap<string, JsonObject>>): Set<string> {
  const withoutDirection = (ref: string) => ref.replace(/^\w+:/, '');
  const both = [...named.input].filter(([name]) => named.output.has(name));
  const references = new Map(both.map(([name, schema]) => [name, referencesIn(schema)]));
  const textOf = (schema: JsonObject) =>
    JSON.stringify(mapObjects(mapReferences(schema, withoutDirection), withoutDefaults));
  const differing = new Set(
    both.flatMap(([name, schema]) =>
      textOf(schema) === textOf(named.output.get(name)!) ? [] : [name],
    ),
  );
  for (let size = -1; size !== differing.size;) {
    size = differing.size;
    for (const [name, inside] of references)
      if (inside.some((ref) => differing.has(withoutDirection(ref)))) differing.add(name);
  }
  return differing;
}

/** Removes the keywords that the direction decides: a default may be omitted in requests only. */
const withoutDefaults = ({ required, default: _default, ...rest }: JsonObject): JsonObject =>
  Array.isArray(required) || required === undefined ? rest : { ...rest, required };

function referencesIn(schema: JsonObject): string[] {
  const found: string[] = [];
  mapReferences(schema, (ref) => {
    found.push(ref);
    return ref;
  });
  return found;
}

const mapReferences = (schema: JsonObject, map: (ref: string) => string): JsonObject =>
  mapObjects(schema, ({ $ref, ...rest }) =>
    typeof $ref === 'string' ? { ...rest, $ref: map($ref) } : rest,
  );

/** Replaces every object in a value, from the outside to the inside. */
function mapObjects(value: JsonObject, map: (object: JsonObject) => JsonObject): JsonObject {
  const mapValue = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(mapValue);
    return typeof inner === 'object' && inner !== null
      ? mapObjects(inner as JsonObject, map)
      : inner;
  };
  return Object.fromEntries(
    Object.entries(map(value)).map(([key, inner]) => [key, mapValue(inner)]),
  );
}
