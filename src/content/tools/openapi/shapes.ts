import { isRecord } from '../schema-walk.ts';
import { charge, resolveRef, listOf, oncePerSchema, recordOf, textOf } from './document.ts';
import type { OpenApiDocument } from './document.ts';

/** Which kinds of values a schema accepts; an array or object is `nested` if it contains others. */
export interface Shape {
  scalar: boolean;
  array: 'none' | 'flat' | 'nested';
  object: 'none' | 'flat' | 'nested';
}

const SCALARS = new Set(['string', 'number', 'integer', 'boolean']);
const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns the union of everything a schema accepts; without any type, a plain value. */
export function shapeOf(document: OpenApiDocument, schema: unknown): Shape {
  const found: Shape = { scalar: false, array: 'none', object: 'none' };
  for (const branch of branchesOf(document, schema)) {
    const { scalar, array, object } = branchShape(document, branch);
    if (scalar) found.scalar = true;
    found.array = wider(found.array, array);
    found.object = wider(found.object, object);
  }
  const isUnknown = found.array === 'none' && found.object === 'none';
  return isUnknown ? { ...found, scalar: true } : found;
}

/** Returns a schema and all its branches, each of them once. */
export function branchesOf(
  document: OpenApiDocument,
  value: unknown,
  keywords: readonly string[] = COMBINED,
): Set<Readonly<Record<string, unknown>>> {
  const found = new Set<Readonly<Record<string, unknown>>>();
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    charge(document);
    if (!isRecord(next)) continue;
    const schema = resolveRef(document, next);
    if (found.has(schema)) continue;
    found.add(schema);
    for (const keyword of keywords) pending.push(...listOf(schema[keyword]).toReversed());
  }
  return found;
}

/** Returns the schemas of the elements and members that one branch accepts; null if none. */
function partsOf(schema: Readonly<Record<string, unknown>>) {
  const types = [schema['type']].flat();
  const { properties, items, prefixItems, additionalProperties } = schema;
  const isArray = types.includes('array') || items !== undefined || prefixItems !== undefined;
  const isObject =
    types.includes('object') || isRecord(properties) || isRecord(additionalProperties);
  return {
    isScalar: types.some((type) => SCALARS.has(textOf(type))),
    elements: isArray ? [items, ...listOf(prefixItems)] : null,
    members: isObject ? [additionalProperties, ...Object.values(recordOf(properties))] : null,
  };
}

/** Returns the shape of a schema by itself, without its branches. */
const branchShape = oncePerSchema((document, branch): Shape => {
  const { elements, members, isScalar } = partsOf(branch);
  const kindOf = (schemas: readonly unknown[] | null) => {
    if (schemas === null) return 'none';
    return areNested(document, schemas) ? 'nested' : 'flat';
  };
  return { scalar: isScalar, array: kindOf(elements), object: kindOf(members) };
});

const areNested = (document: OpenApiDocument, schemas: readonly unknown[]) =>
  schemas.some((schema) =>
    [...branchesOf(document, schema)].some((branch) => {
      const { elements, members } = partsOf(branch);
      return elements !== null || members !== null;
    }),
  );

const WIDTHS = ['none', 'flat', 'nested'] as const;
const wider = (a: Shape['array'], b: Shape['array']) =>
  WIDTHS.indexOf(a) < WIDTHS.indexOf(b) ? b : a;

/** Whether a schema describes bytes: as `format: binary` in 3.0, by its media type in 3.1. */
export function isBinary(document: OpenApiDocument, value: unknown): boolean {
  if (!isRecord(value)) return false;
  const schema = resolveRef(document, value);
  const { type, format, contentMediaType, contentEncoding } = schema;
  const isString = type === undefined || [type].flat().includes('string');
  if (!isString) return false;
  if (format === 'binary') return true;
  if (document.isVersion30 || contentEncoding !== undefined) return false;
  return typeof contentMediaType === 'string' && !/^text\/|json/i.test(contentMediaType);
}
