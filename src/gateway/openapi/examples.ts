import { EXAMPLES, WHOLE_EXAMPLES } from './example-values.ts';
import { mapInner } from './schema-tree.ts';

type JsonObject = Record<string, unknown>;
type Schemas = Record<string, JsonObject>;

/**
 * Adds examples to the texts and the open objects in schemas. Tools compose from them the example of
 * every body and response; for the other types they know one: the first value of an enumeration, a
 * UUID, a timestamp, an address, a number, and null for what may be null.
 */
export function addExamples(schemas: Readonly<Schemas>): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([owner, schema]) => {
      const add = (inner: JsonObject, path: string): JsonObject => {
        if (!needsExample(inner)) return inner;
        const example = exampleOf(owner, path);
        if (typeof example !== inner['type']) return inner;
        const format = formatOf(example);
        return format === null ? { ...inner, examples: [example] } : { ...inner, format };
      };
      const whole = WHOLE_EXAMPLES[owner];
      const shown = whole === undefined ? add(schema, '') : { ...schema, examples: [whole] };
      return [owner, mapInner(shown, add)];
    }),
  );
}

/** Returns whether nothing but an example says what a value of the schema looks like. */
export function needsExample(schema: JsonObject): boolean {
  const { type, properties, additionalProperties } = schema;
  if (['examples', 'enum', 'const', 'default', 'format'].some((keyword) => keyword in schema))
    return false;
  if (type === 'string') return true;
  const values = Object.keys(additionalProperties ?? {});
  // The entries of an object whose values have a type are composed from that type.
  return type === 'object' && properties === undefined && values.length === 0;
}

/**
 * Returns the example of the most specific name: `Role.name` before `name`. A type is named after
 * the property that it is the type of, as `Email` is after `email`.
 */
function exampleOf(owner: string, path: string): unknown {
  const property = owner.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
  const names =
    path === '' ? [owner, property] : [`${owner}.${path}`, path.slice(path.lastIndexOf('.') + 1)];
  const name = names.find((one) => one in EXAMPLES);
  return name === undefined ? undefined : EXAMPLES[name];
}

/** Formats of which tools know an example. */
const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@:\s]+@[^@\s]+$/,
  uri: /^https:[^{\s]+$/,
};

/** Returns the format that says as much as an example; null if none does. */
function formatOf(example: unknown): string | null {
  if (typeof example !== 'string') return null;
  return Object.entries(FORMATS).find(([, pattern]) => pattern.test(example))?.[0] ?? null;
}
