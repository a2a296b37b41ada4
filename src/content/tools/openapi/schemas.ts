import { compileLinearPattern } from '../../../platform/text/linear-pattern.ts';
import { createPatternBudget } from '../schema-patterns.ts';
import type { PatternBudget } from '../schema-patterns.ts';
import { isRecord } from '../schema-walk.ts';
import {
  charge,
  resolveRef,
  listOf,
  oncePerSchema,
  plainText,
  recordOf,
  UnsupportedOperation,
} from './document.ts';
import type { OpenApiDocument } from './document.ts';
import { branchesOf, isBinary } from './shapes.ts';

const MAX_SCHEMAS = 250;
const MAX_ENUM = 200;

const COPIED = [
  'type',
  'format',
  'const',
  'default',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
] as const;
const SINGLE_SCHEMAS = ['additionalProperties', 'items'] as const;
const BRANCHES = ['allOf', 'anyOf', 'oneOf'] as const;

export interface WriteOptions {
  /** Names that are left out of the properties of the outermost object. */
  without?: ReadonlySet<string>;
  /** Whether strings of bytes become file arguments. */
  files?: boolean;
}

interface Position {
  /** The schemas around this one, outermost first. */
  trail: readonly unknown[];
  /** Names of properties that a caller cannot set, in any branch of the same object. */
  dropped: ReadonlySet<string>;
  files: boolean;
}

/** The argument that holds a file: its content as base64, with an optional media type and name. */
export const fileSchema = (description: unknown, media_type: object = { type: 'string' }) => ({
  type: 'object',
  description: plainText(description, 300) || 'A file.',
  properties: {
    base64: { type: 'string', description: 'The content of the file as base64.' },
    media_type: { description: 'Its media type, such as image/png.', ...media_type },
    file_name: { type: 'string' },
  },
  required: ['base64'],
  additionalProperties: false,
});

/**
 * Expands the schemas of one operation: references are inlined, and cycles end in `{}`, as do parts
 * deeper than `maxDepth`. What is written accepts at least what the document accepts, since the
 * server validates too: `oneOf` becomes `anyOf`, because parts left out make branches overlap, and
 * `not` is left out.
 */
export function createSchemaWriter(document: OpenApiDocument, maxDepth: number) {
  let remaining = MAX_SCHEMAS;
  const fits = createPatternBudget();
  let isSimplified = false;
  const leftOut = new Set<string>();

  function write(value: unknown, position: Position): unknown {
    if (typeof value === 'boolean') return value;
    const combined = withSiblings(document, value);
    const schema = resolveRef(document, combined);
    remaining -= 1;
    if (remaining < 0)
      throw new UnsupportedOperation(
        'too_large',
        `The arguments require more than ${MAX_SCHEMAS} schemas.`,
      );
    const { properties, required } = schema;
    charge(document, Object.keys(recordOf(properties)).length + listOf(required).length);
    const { trail, files } = position;
    if (trail.includes(schema)) return {};
    if (trail.length > maxDepth) {
      isSimplified = true;
      return {};
    }
    if (files && isBinary(document, schema)) return fileSchema(schema['description']);
    const inner = { trail: [...trail, schema], dropped: NONE, files };
    const branch = { ...inner, dropped: position.dropped };
    if (schema['not'] !== undefined) leftOut.add('`not`');
    if (listOf(schema['enum']).length > MAX_ENUM)
      leftOut.add(`\`enum\` of over ${MAX_ENUM} values`);
    const result: Record<string, unknown> = {};
    for (const key of COPIED) if (schema[key] !== undefined) result[key] = schema[key];
    for (const key of SINGLE_SCHEMAS)
      if (schema[key] !== undefined) result[key] = writeObject(schema[key], inner);
    if (Array.isArray(schema['prefixItems']))
      result['prefixItems'] = schema['prefixItems'].map((item) => writeObject(item, inner));
    const branches = BRANCHES.flatMap((key) =>
      Array.isArray(schema[key])
        ? [{ key, list: schema[key].map((one: unknown) => write(one, branch)) }]
        : [],
    );
    Object.assign(result, textsOf(schema), patternOf(schema, fits), choicesOf(schema));
    Object.assign(
      result,
      exclusiveBounds(schema, document),
      propertiesOf(schema, position.dropped, (property) => writeObject(property, inner)),
    );
    for (const { key, list } of branches) addBranches(result, key, list);
    if (isRecord(value) && typeof value['$ref'] === 'string')
      Object.assign(result, textsOf({ description: value['description'] }));
    return document.isVersion30 && schema['nullable'] === true ? makeNullable(result) : result;
  }

  /** Writes the schema of a value, whose branches share the properties that are left out. */
  function writeObject(value: unknown, position: Position): unknown {
    const dropped = new Set(position.dropped);
    if (isRecord(value)) collectReadOnly(document, value, dropped);
    return write(value, { ...position, dropped });
  }

  return {
    write: (schema: unknown, { without = NONE, files = false }: WriteOptions = {}): unknown =>
      writeObject(schema ?? {}, { trail: [], dropped: without, files }),
    /** Whether a part was cut off at the maximum depth. */
    isSimplified: () => isSimplified,
    /** Keywords that are not written, for a warning. */
    leftOut,
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Writes the properties of an object, without those that are dropped. */
function propertiesOf(
  schema: Readonly<Record<string, unknown>>,
  dropped: ReadonlySet<string>,
  writeProperty: (schema: unknown) => unknown,
) {
  const { properties, patternProperties, required, additionalProperties } = schema;
  const names = listOf(required).filter((key) => typeof key === 'string' && !dropped.has(key));
  const written = isRecord(properties)
    ? Object.entries(properties)
        .filter(([key]) => !dropped.has(key))
        .map(([key, property]) => [key, writeProperty(property)] as const)
    : null;
  return {
    ...(written === null ? {} : { properties: Object.fromEntries(written) }),
    ...(names.length === 0 ? {} : { required: names }),
    // Properties that match a pattern are allowed; the server knows the pattern.
    ...(patternProperties !== undefined && additionalProperties === false
      ? { additionalProperties: true }
      : {}),
  };
}

/** In 3.1, keywords next to `$ref` apply too; earlier, they are ignored. */
function withSiblings({ isVersion30 }: OpenApiDocument, value: unknown): unknown {
  if (isVersion30 || !isRecord(value) || typeof value['$ref'] !== 'string') return value;
  const { $ref, description: _text, summary: _summary, ...siblings } = value;
  if (Object.keys(siblings).length === 0) return value;
  return { ...siblings, allOf: [...listOf(siblings['allOf']), { $ref }] };
}

/**
 * Collects the names of `readOnly` properties, which only a server may set, from every branch that
 * applies to the same object.
 */
function collectReadOnly(document: OpenApiDocument, value: unknown, names: Set<string>): void {
  // Keywords next to a `$ref` count too.
  const own = isRecord(value) ? [value] : [];
  for (const schema of [...own, ...branchesOf(document, value)]) {
    const found = readOnlyNames(document, schema);
    charge(document, found.length);
    for (const name of found) names.add(name);
  }
}

const readOnlyNames = oncePerSchema((document, { properties }) =>
  Object.entries(recordOf(properties))
    .filter(([, property]) => isReadOnly(document, property))
    .map(([name]) => name),
);

const isReadOnly = (document: OpenApiDocument, value: unknown): boolean =>
  isRecord(value) &&
  (value['readOnly'] === true ||
    [...branchesOf(document, value, ['allOf'])].some((branch) => branch['readOnly'] === true));

/** Adds branches; those of `oneOf` are written as `anyOf`. */
function addBranches(
  result: Record<string, unknown>,
  key: (typeof BRANCHES)[number],
  list: readonly unknown[],
): void {
  if (key !== 'oneOf') result[key] = list;
  else if (result['anyOf'] === undefined) result['anyOf'] = list;
  else result['allOf'] = [...listOf(result['allOf']), { anyOf: list }];
}

function textsOf(schema: Readonly<Record<string, unknown>>) {
  const description = plainText(schema['description'] ?? schema['title'], 300);
  return description === '' ? {} : { description };
}

/** Drops patterns that could take long: the server validates the value anyway. */
function patternOf({ pattern }: Readonly<Record<string, unknown>>, fits: PatternBudget) {
  if (typeof pattern !== 'string' || !fits(pattern)) return {};
  try {
    compileLinearPattern(pattern);
    return { pattern };
  } catch {
    return {};
  }
}

function choicesOf({ enum: choices }: Readonly<Record<string, unknown>>) {
  return Array.isArray(choices) && choices.length > 0 && choices.length <= MAX_ENUM
    ? { enum: [...new Set(choices)] }
    : {};
}

/** In 3.0, `exclusiveMinimum` is a boolean flag of `minimum`; later it is the bound itself. */
function exclusiveBounds(
  schema: Readonly<Record<string, unknown>>,
  { isVersion30 }: OpenApiDocument,
) {
  const pairs = [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const;
  return Object.fromEntries(
    pairs.flatMap(([bound, exclusive]) => {
      if (!isVersion30)
        return schema[exclusive] === undefined ? [] : [[exclusive, schema[exclusive]]];
      return schema[exclusive] === true ? [[exclusive, schema[bound]]] : [];
    }),
  );
}

const makeNullable = (schema: Record<string, unknown>) =>
  typeof schema['type'] === 'string'
    ? {
        ...schema,
        type: [schema['type'], 'null'],
        ...(Array.isArray(schema['enum']) ? { enum: [...new Set([...schema['enum'], null])] } : {}),
      }
    : { anyOf: [schema, { type: 'null' }] };
