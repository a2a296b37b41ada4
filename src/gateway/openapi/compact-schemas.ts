import { SCHEMAS } from './components.ts';
import { mapInner } from './schema-tree.ts';

type JsonObject = Record<string, unknown>;
type Schemas = Record<string, JsonObject>;

/** A schema that others extend has at least this many properties: one says little by its name. */
const MIN_BASE = 2;
/** A reference and a component of its own must save at least this many characters. */
const MIN_SAVING = 20;

/** Groups of schemas whose common fields become a component of this name. */
const COMMON: Readonly<Record<string, readonly string[]>> = {
  AuditFields: ['AuditEntry', 'OrganizationAuditEntry'],
  CallFields: ['Call', 'KeyCall', 'OrganizationCall'],
  ItemFields: ['AgentSummary', 'HttpToolSummary', 'McpToolSummary', 'PromptSummary'],
  KeyFields: ['OrganizationKey', 'PersonalKey', 'ScopedKey'],
  McpToolFields: ['McpCustomTool', 'McpToolSummary'],
  PreviewFields: ['KeyEditPreview', 'KeyPreview', 'Preview'],
  ToolFields: ['HttpToolSummary', 'McpToolSummary'],
};

/**
 * Returns equivalent schemas that say nothing twice. A schema with all properties of another one
 * refers to it and adds the rest; what is written in several places gets a name, after the property
 * that it is the type of.
 */
export function compactSchemas(schemas: Readonly<Schemas>): Schemas {
  return nameRepeated(extendOthers({ ...commonParts(schemas), ...schemas }));
}

/** Returns the properties that all schemas of each group have alike. */
function commonParts(schemas: Readonly<Schemas>): Schemas {
  const parts: Schemas = {};
  for (const [name, members] of Object.entries(COMMON)) {
    const [first, ...others] = members.map((member) => schemas[member] ?? {}).filter(isPlainObject);
    const isWhole = others.length === members.length - 1;
    if (first !== undefined && isWhole) parts[name] = intersection(first, others);
  }
  return parts;
}

function intersection(first: ObjectSchema, others: readonly ObjectSchema[]): JsonObject {
  const isCommon = (name: string) =>
    others.every(
      (other) =>
        isSame(other.properties[name], first.properties[name]) &&
        isRequired(other, name) === isRequired(first, name),
    );
  const names = Object.keys(first.properties).filter(isCommon);
  const required = names.filter((name) => isRequired(first, name));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, first.properties[name]])),
    ...(required.length > 0 ? { required } : {}),
  };
}

interface ObjectSchema {
  type: unknown;
  properties: Record<string, unknown>;
  required?: readonly string[];
}

function extendOthers(schemas: Readonly<Schemas>): Schemas {
  const bases = Object.entries(schemas).flatMap(([name, schema]) =>
    isPlainObject(schema) && Object.keys(schema.properties).length >= MIN_BASE
      ? [{ name, schema, text: JSON.stringify(schema) }]
      : [],
  );
  bases.sort((a, b) => b.text.length - a.text.length);
  const extend = (schema: JsonObject): JsonObject => {
    const base = isPlainObject(schema) && bases.find((one) => isExtension(schema, one.schema));
    if (!base) return schema;
    return { allOf: [{ $ref: SCHEMAS + base.name }, difference(schema, base.schema)] };
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, mapInner(extend(schema), extend)]),
  );
}

/** Returns whether an object schema has no other keywords, so that it can be split into parts. */
const isPlainObject = (schema: JsonObject): schema is JsonObject & ObjectSchema =>
  schema['type'] === 'object' &&
  schema['properties'] !== undefined &&
  Object.keys(schema).every((name) => ['type', 'properties', 'required'].includes(name));

function isExtension(schema: ObjectSchema, base: ObjectSchema): boolean {
  const names = Object.keys(base.properties);
  return (
    names.length < Object.keys(schema.properties).length &&
    names.every((name) => isSame(schema.properties[name], base.properties[name])) &&
    names.every((name) => isRequired(schema, name) === isRequired(base, name))
  );
}

const isRequired = ({ required = [] }: ObjectSchema, name: string) => required.includes(name);
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Returns what an object has besides its base, which says that it is an object. */
function difference({ properties, required = [] }: ObjectSchema, base: ObjectSchema): JsonObject {
  const own = required.filter((name) => !(name in base.properties));
  return {
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => !(name in base.properties)),
    ),
    ...(own.length > 0 ? { required: own } : {}),
  };
}

interface Repeated {
  text: string;
  count: number;
  name: string;
}

function nameRepeated(schemas: Readonly<Schemas>): Schemas {
  const result: Schemas = { ...schemas };
  for (;;) {
    const most = mostRepeated(result);
    if (most === undefined) break;
    const reference = { $ref: SCHEMAS + most.name };
    const replace = (schema: JsonObject) =>
      JSON.stringify(schema) === most.text ? reference : schema;
    for (const [name, schema] of Object.entries(result)) result[name] = mapInner(schema, replace);
    result[most.name] = JSON.parse(most.text) as JsonObject;
  }
  return Object.fromEntries(Object.entries(result).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the schema whose name would save most, unless the saving is too small. */
function mostRepeated(schemas: Readonly<Schemas>): Repeated | undefined {
  const found = new Map<string, { count: number; property: string; owner: string }>();
  for (const [owner, schema] of Object.entries(schemas))
    mapInner(schema, (inner, path) => {
      const property = path.slice(path.lastIndexOf('.') + 1);
      const text = JSON.stringify(inner);
      const { count, ...first } = found.get(text) ?? { count: 0, property, owner };
      if (property !== '' && !isReference(inner) && !isNullable(inner) && !isListOfNamed(inner))
        found.set(text, { ...first, count: count + 1 });
      return inner;
    });
  const [best] = [...found]
    .map(([text, { count, property, owner }]) => {
      const name = freeName(schemas, property, owner);
      const saving = (count - 1) * text.length - count * (SCHEMAS.length + name.length + 11);
      return { text, count, name, saving };
    })
    .filter(({ count, saving }) => count > 1 && saving >= MIN_SAVING)
    .toSorted((a, b) => b.saving - a.saving);
  return best;
}

/** A reference is a name already. */
const isReference = ({ $ref, ...rest }: JsonObject) =>
  $ref !== undefined && Object.keys(rest).length === 0;

/** Generators give a type that may be null no name of its own. */
const isNullable = ({ type, anyOf }: JsonObject) =>
  (Array.isArray(type) && type.includes('null')) ||
  (Array.isArray(anyOf) && anyOf.some((one: JsonObject) => one['type'] === 'null'));

/** Generators write a list of a named type as short as a name of its own. */
const isListOfNamed = ({ type, items, ...rest }: JsonObject) =>
  type === 'array' && '$ref' in (items as JsonObject) && Object.keys(rest).length === 0;

function freeName(schemas: Readonly<Schemas>, property: string, owner: string): string {
  const name = property.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return name in schemas ? `${owner}${name}` : name;
}
