import { compileLinearPattern } from '../../../platform/text/linear-pattern.ts';
import { isRecord } from '../schema-walk.ts';
import { resolveRef, plainText, UnsupportedOperation } from './document.ts';
import type { OpenApiDocument } from './document.ts';

const MAX_SCHEMAS = 250;
const MAX_DEPTH = 10;
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
  'required',
] as const;
const SINGLE_SCHEMAS = ['additionalProperties', 'items', 'not'] as const;
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;

/** Expands the schemas of one operation: references are inlined, and cycles end in `{}`. */
export function createSchemaWriter(document: OpenApiDocument) {
  let remaining = MAX_SCHEMAS;

  function write(value: unknown, trail: readonly unknown[]): unknown {
    if (typeof value === 'boolean') return value;
    const schema = resolveRef(document, value);
    remaining -= 1;
    if (remaining < 0)
      throw new UnsupportedOperation(
        'too_large',
        `The arguments require more than ${MAX_SCHEMAS} schemas.`,
      );
    if (trail.includes(schema) || trail.length > MAX_DEPTH) return {};
    const inner = [...trail, schema];
    const result: Record<string, unknown> = {};
    for (const key of COPIED) if (schema[key] !== undefined) result[key] = schema[key];
    for (const key of SINGLE_SCHEMAS)
      if (schema[key] !== undefined) result[key] = write(schema[key], inner);
    for (const key of SCHEMA_LISTS)
      if (Array.isArray(schema[key]))
        result[key] = schema[key].map((subschema: unknown) => write(subschema, inner));
    Object.assign(result, textsOf(schema), patternOf(schema), choicesOf(schema));
    Object.assign(result, exclusiveBounds(schema, document), propertiesOf(schema, inner));
    return document.isVersion30 && schema['nullable'] === true ? makeNullable(result) : result;
  }

  /** Leaves out `readOnly` properties, which only a server may set. */
  function propertiesOf(schema: Readonly<Record<string, unknown>>, trail: readonly unknown[]) {
    if (!isRecord(schema['properties'])) return {};
    const entries = Object.entries(schema['properties']);
    const readOnly = new Set(
      entries
        .filter(([, value]) => isRecord(value) && value['readOnly'] === true)
        .map(([key]) => key),
    );
    const properties = Object.fromEntries(
      entries
        .filter(([key]) => !readOnly.has(key))
        .map(([key, subschema]) => [key, write(subschema, trail)]),
    );
    const { required } = schema;
    return {
      properties,
      ...(Array.isArray(required)
        ? { required: required.filter((key) => !readOnly.has(key)) }
        : {}),
    };
  }

  return (schema: unknown): unknown => write(schema ?? {}, []);
}

function textsOf(schema: Readonly<Record<string, unknown>>) {
  const description = plainText(schema['description'] ?? schema['title'], 300);
  return description === '' ? {} : { description };
}

/** Drops patterns that could take long to match: the server validates the value anyway. */
function patternOf({ pattern }: Readonly<Record<string, unknown>>) {
  if (typeof pattern !== 'string') return {};
  try {
    compileLinearPattern(pattern);
    return { pattern };
  } catch {
    return {};
  }
}

function choicesOf({ enum: choices }: Readonly<Record<string, unknown>>) {
  return Array.isArray(choices) && choices.length <= MAX_ENUM ? { enum: choices } : {};
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
