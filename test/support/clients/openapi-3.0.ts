type JsonObject = Record<string, unknown>;
interface Schema {
  $ref?: string;
  properties?: JsonObject;
  required?: string[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}
interface Fields {
  properties: JsonObject;
  required: string[];
}

/**
 * Returns an OpenAPI 3.1 document as OpenAPI 3.0, for generators that read no later version. It
 * says less. Python's generator checks values against all alternatives of a choice at once, so a
 * choice of objects becomes one object; and it does not escape quotes in patterns, so these are
 * left out.
 */
export function toOpenapi30(document: JsonObject): JsonObject {
  const { schemas } = document['components'] as { schemas: Record<string, Schema> };
  const fieldsOf = createFields(schemas);

  /** Converts a schema, or a part of the document with schemas; or each entry of `properties`. */
  function convert(value: unknown, isProperties = false): unknown {
    if (Array.isArray(value)) return value.map((one) => convert(one));
    if (typeof value !== 'object' || value === null) return value;
    const object = isProperties ? value : convertKeywords(value as JsonObject, fieldsOf);
    return Object.fromEntries(
      Object.entries(object).map(([name, one]) => [name, convert(one, name === 'properties')]),
    );
  }

  const converted = convert(document) as { info: { license: JsonObject } };
  delete converted.info.license['identifier'];
  return { ...converted, openapi: '3.0.3' };
}

type FieldsOf = (schema: Schema) => Fields | null;

function convertKeywords(object: JsonObject, fieldsOf: FieldsOf): JsonObject {
  // A reference has no siblings in 3.0.
  if ('$ref' in object) return { $ref: object['$ref'] };
  const { type, anyOf, oneOf, const: only, ...others } = object;
  const { examples: _, pattern: __, propertyNames: ___, ...rest } = others;
  if (rest['default'] === null) delete rest['default'];
  return {
    ...rest,
    ...(only === undefined ? {} : { enum: [only] }),
    ...convertType(type),
    ...convertChoice((anyOf ?? oneOf) as ({ type?: string } & Schema)[] | undefined, fieldsOf),
  };
}

/** 3.0 has no type `null`, only nullable values of another type. */
function convertType(type: unknown): JsonObject {
  if (type === undefined) return {};
  const types = [type].flat();
  const others = types.filter((one) => one !== 'null');
  return {
    type: others[0] ?? 'string',
    ...(others.length < types.length ? { nullable: true } : {}),
  };
}

function convertChoice(
  all: readonly ({ type?: string } & Schema)[] | undefined,
  fieldsOf: FieldsOf,
): JsonObject {
  if (!Array.isArray(all)) return {};
  const choice = all.filter(({ type }) => type !== 'null');
  const nullable = choice.length < all.length ? { nullable: true } : {};
  if (choice.length === 1) return { allOf: choice, ...nullable };
  const fields = fieldsOf({ anyOf: choice });
  return { ...(fields === null ? { anyOf: choice } : { type: 'object', ...fields }), ...nullable };
}

/** Creates a function that returns the fields of an object schema, or null for other schemas. */
function createFields(schemas: Readonly<Record<string, Schema>>): FieldsOf {
  return function fieldsOf(schema: Schema): Fields | null {
    const { $ref, properties, required = [], allOf, anyOf, oneOf } = schema;
    if ($ref !== undefined) return fieldsOf(schemas[$ref.split('/').at(-1)!]!);
    const own = properties && { properties, required };
    const parts = allOf?.map(fieldsOf) ?? [];
    const choice = (anyOf ?? oneOf)?.map(fieldsOf);
    const merged = choice && (choice.includes(null) ? null : joinFields(choice as Fields[]));
    const all = [own, ...parts, merged].filter((one) => one !== undefined);
    if (all.length === 0 || all.includes(null)) return null;
    return {
      properties: Object.assign({}, ...all.map((one) => one!.properties)) as JsonObject,
      required: all.flatMap((one) => one!.required),
    };
  };
}

/** Returns the fields of any alternative; required are those that all alternatives require. */
function joinFields(choice: readonly Fields[]): Fields {
  const properties: JsonObject = {};
  for (const [name, schema] of choice.flatMap((one) => Object.entries(one.properties))) {
    const isOther = JSON.stringify(properties[name] ?? schema) !== JSON.stringify(schema);
    properties[name] = isOther ? { nullable: true } : schema;
  }
  const [{ required }] = choice as [Fields];
  return {
    properties,
    required: required.filter((name) => choice.every((one) => one.required.includes(name))),
  };
}
