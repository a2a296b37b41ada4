/** JSON of any shape, as `JSON.parse` returns it. */
export type Json = ReturnType<typeof JSON.parse>;
export type JsonObject = Record<string, Json>;

/** Returns a document with one server. */
export const documentOf = (origin: string, paths: object, more: object = {}) => ({
  openapi: '3.0.3',
  info: { title: 'Test', version: '1' },
  servers: [{ url: origin }],
  paths,
  ...more,
});

export const text = { type: 'string' };
export const integer = { type: 'integer' };
export const list = { type: 'array', items: text };
export const flat = { type: 'object', properties: { a: text, b: integer } };

/** Returns a parameter with a schema. */
export const parameter = (place: string, name: string, schema: object, more: object = {}) => ({
  name,
  in: place,
  ...(place === 'path' ? { required: true } : {}),
  schema,
  ...more,
});

/** Returns a request body of one media type. */
export const bodyOf = (type: string, schema: object | undefined, more: object = {}) => ({
  content: { [type]: { ...(schema === undefined ? {} : { schema }), ...more } },
});

export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
