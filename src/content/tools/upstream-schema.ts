import { isTooLong } from './input-schema.ts';
import { defName, isRecord, SCHEMA_LISTS, SCHEMA_MAPS, SINGLE_SCHEMAS } from './schema-walk.ts';
import type { Schema } from './schema-walk.ts';

/** Limit on the parts of a schema that are copied into `$defs`; each may be the whole schema. */
const MAX_COPIES = 100;

/**
 * Converts an upstream's schema of any dialect to the form that input schemas have: `definitions`
 * becomes `$defs`, tuples become `prefixItems`, the schema's own `$id` is dropped, and what a `$ref`
 * finds elsewhere in the schema is copied into `$defs`. Validation rejects the rest.
 */
export function toDialect2020({ $schema: _dialect, $id: _id, ...source }: Schema): Schema {
  const copies = new Map<string, { name: string; schema: unknown }>();
  // Refused later; until then, it must not take long.
  if (isTooLong(source)) return source;

  /** Returns the reference to a definition that is or will be in `$defs`. */
  function refOf(ref: string): string {
    const renamed = ref.replace(/^#\/definitions\//, '#/$defs/');
    if (defName(renamed) !== null) return renamed;
    const known = copies.get(ref);
    if (known !== undefined) return `#/$defs/${known.name}`;
    const target = lookUp(source, ref);
    if (target === undefined || copies.size === MAX_COPIES) return renamed;
    const copy = { name: freeName(source, copies.size), schema: {} as unknown };
    copies.set(ref, copy);
    copy.schema = convert(target);
    return `#/$defs/${copy.name}`;
  }

  function convert(value: unknown): unknown {
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(withPrefixItems(value)).map(([keyword, inner]) => {
        if (keyword === '$ref' && typeof inner === 'string') return [keyword, refOf(inner)];
        if (SINGLE_SCHEMAS.has(keyword)) return [keyword, convert(inner)];
        if (SCHEMA_LISTS.has(keyword) && Array.isArray(inner)) return [keyword, inner.map(convert)];
        if (SCHEMA_MAPS.has(keyword)) return [keyword, convertAll(inner)];
        return [keyword, inner];
      }),
    );
  }

  const convertAll = (schemas: unknown): unknown =>
    isRecord(schemas)
      ? Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, convert(one)]))
      : schemas;

  const { definitions, $defs, ...rest } = source;
  const root = convert(rest) as Schema;
  const own = { ...recordOf(convertAll(definitions)), ...recordOf(convertAll($defs)) };
  const copied = [...copies.values()].map(({ name, schema }) => [name, schema] as const);
  const all = { ...own, ...Object.fromEntries(copied) };
  return Object.keys(all).length === 0 ? root : { ...root, $defs: all };
}

/** Before 2020-12, a list of schemas in `items` described a tuple, and `additionalItems` the rest. */
function withPrefixItems(schema: Schema): Schema {
  if (!Array.isArray(schema['items'])) return schema;
  const { items, additionalItems, ...rest } = schema;
  return {
    ...rest,
    ...(items.length === 0 ? {} : { prefixItems: items }),
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  };
}

/** Returns the schema at a JSON Pointer in a fragment; undefined if there is none. */
function lookUp(root: Schema, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const token of tokensOf(ref.slice(2))) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, token))
      return undefined;
    found = (found as Readonly<Record<string, unknown>>)[token];
  }
  return isRecord(found) || typeof found === 'boolean' ? found : undefined;
}

function tokensOf(fragment: string): string[] {
  try {
    return decodeURIComponent(fragment)
      .split('/')
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return [fragment];
  }
}

function freeName({ definitions, $defs }: Schema, index: number): string {
  const taken = { ...recordOf(definitions), ...recordOf($defs) };
  let name = `part_${index + 1}`;
  while (Object.hasOwn(taken, name)) name = `${name}_`;
  return name;
}

const recordOf = (value: unknown): Schema => (isRecord(value) ? value : {});
