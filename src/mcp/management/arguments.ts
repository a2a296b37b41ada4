import { z } from 'zod';
import type { JsonSchema } from '../../catalog/catalog.ts';
import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import { malformedFields } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { shapeError } from '../../platform/errors/shape-error.ts';
import { ItemId } from '../../policies/policy.ts';

const ISSUES = 20;

/** Arguments that identify an item. */
export const Target = z.strictObject({
  id: ItemId.describe('The item’s id, as returned by the list tool.'),
});
/** Where a new item is created. */
export const NewTarget = z.strictObject({
  space: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Required in an organization: `me`, or the name of a team. Elsewhere it has no effect.',
    ),
});
export const VersionedTarget = Target.extend({
  if_version: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe('Fail with `version_mismatch` unless this is the item’s current version.'),
});

/** Shapes of the arguments, which a call sends as one flat object. */
export interface Shapes {
  target: z.ZodObject | null;
  body: z.ZodType | null;
}

export type ParsedArguments = Readonly<Record<string, unknown>> & {
  target: { id: string; if_version?: number; space?: string };
  body: unknown;
};

/** Returns a tool's input schema and the function that parses its arguments. */
export function defineArguments(shapes: Shapes) {
  const input_schema = inputSchemaOf(shapes);
  const known = new Set(Object.keys(input_schema.properties));
  return { input_schema, parse: (sent: unknown) => parseArguments(shapes, known, sent) };
}

/** Returns one flat object schema for both shapes: not all models support a union. */
function inputSchemaOf({ target, body }: Shapes): JsonSchema & { properties: object } {
  const parts = [target, body].flatMap((shape) => (shape === null ? [] : [flatten(shape)]));
  const required = parts.flatMap((part) => part.required ?? []);
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as object,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Parses the arguments; throws `malformed` with a JSON pointer for each error. */
function parseArguments(
  { target, body }: Shapes,
  known: ReadonlySet<string>,
  sent: unknown,
): ParsedArguments {
  const all = Object.entries(sent as Readonly<Record<string, unknown>>);
  const names = new Set(Object.keys(target?.shape ?? {}));
  const part = (isTarget: boolean) =>
    Object.fromEntries(all.filter(([name]) => known.has(name) && names.has(name) === isTarget));
  const parsed = [parse(target, part(true)), parse(body, part(false))];
  const problems = [
    ...all.flatMap(([name]) => (known.has(name) ? [] : [unknownArgument(name)])),
    ...parsed.flatMap((one) => one.error?.issues ?? []).map(problemOf),
  ];
  if (problems.length > 0) throw malformedFields(problems.slice(0, ISSUES));
  return { target: parsed[0]!.data as ParsedArguments['target'], body: parsed[1]!.data };
}

const parse = (shape: z.ZodType | null, value: object) =>
  (shape ?? z.object({})).safeParse(value, { error: shapeError });

const problemOf = ({ path, message }: z.core.$ZodIssue): Problem => ({
  code: 'invalid_params',
  message,
  detail: { pointer: toJsonPointer(path) },
});

const unknownArgument = (name: string): Problem => ({
  code: 'invalid_params',
  message: 'is not an argument of this tool',
  detail: { pointer: toJsonPointer([name]) },
});

/** Returns the JSON Schema of a shape in one piece: many clients do not resolve references. */
export function jsonSchemaOf(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, {
    target: 'draft-2020-12',
    io,
    metadata: unnamed,
  });
  return schema;
}

/** The descriptions of schemas without their names, which would make references of them. */
const unnamed = {
  get(shape: z.ZodType) {
    const { id: _id, ...description } = z.globalRegistry.get(shape) ?? {};
    return description;
  },
} as typeof z.globalRegistry;

interface FlatSchema {
  properties: Record<string, JsonSchema>;
  required?: string[];
}

/** Flattens a discriminated union; a field is required if every kind requires it. */
function flatten(shape: z.ZodType): FlatSchema {
  const schema = jsonSchemaOf(shape, 'input') as unknown as FlatSchema & { oneOf?: FlatSchema[] };
  const kinds = schema.oneOf;
  if (kinds === undefined) return schema;
  const properties: Record<string, JsonSchema> = {};
  for (const kind of kinds)
    for (const [name, property] of Object.entries(kind.properties))
      properties[name] = joinSchemas(properties[name], property);
  const required = Object.keys(properties).filter((name) =>
    kinds.every((kind) => kind.required?.includes(name) === true),
  );
  return { properties, required };
}

function joinSchemas(known: JsonSchema | undefined, other: JsonSchema): JsonSchema {
  if (known === undefined || JSON.stringify(known) === JSON.stringify(other)) return other;
  const alternatives = (known['anyOf'] as JsonSchema[] | undefined) ?? [known];
  return { anyOf: [...alternatives, other] };
}
