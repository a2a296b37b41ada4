import { describe, expect, test } from 'vitest';
import { importOpenApi } from '../../../src/content/tools/openapi/import.ts';

const importDocument = async (document: Record<string, unknown>) => {
  const found = await importOpenApi(document, { isTaken: () => false });
  if (found === null) throw new Error('not OpenAPI');
  return found;
};

describe('properties that only the server may set', () => {
  const schemas = {
    Id: { type: 'integer', readOnly: true },
    Wrapped: { allOf: [{ $ref: '#/components/schemas/Id' }] },
    Base: { required: ['id', 'at'], properties: { at: { type: 'string', readOnly: true } } },
  };
  const bodySchema = async (schema: object, openapi = '3.1.0') => {
    const { tools } = await importDocument({
      openapi,
      servers: [{ url: 'https://api.example' }],
      components: { schemas },
      paths: { '/a': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
    });
    return (tools[0]!.input_schema['properties'] as { body: unknown }).body;
  };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  test.each([
    ['behind a reference', { required: ['id', 'n'], properties: { id: ref('Id'), n: {} } }],
    ['behind two', { required: ['id', 'n'], properties: { id: ref('Wrapped'), n: {} } }],
    [
      'next to a reference',
      { required: ['id', 'n'], properties: { id: { ...ref('Base'), readOnly: true }, n: {} } },
    ],
  ])('%s are neither offered nor required', async (_, schema) => {
    expect(await bodySchema(schema)).toEqual({ required: ['n'], properties: { n: {} } });
    expect(await bodySchema(schema, '3.0.0')).toEqual({ required: ['n'], properties: { n: {} } });
  });

  test('in any branch are left out of every branch', async () => {
    const inner = { required: ['id', 'n'], properties: { id: {}, n: {} } };

    expect(
      await bodySchema({
        required: ['id', 'at'],
        allOf: [ref('Base'), { properties: { id: ref('Id'), at: {} } }, { anyOf: [inner] }],
        properties: { child: inner },
      }),
    ).toEqual({
      allOf: [
        { properties: {} },
        { properties: {} },
        { anyOf: [{ required: ['n'], properties: { n: {} } }] },
      ],
      // Another object, with names of its own.
      properties: { child: inner },
    });
  });
});

test('the schema of a tool accepts everything that the schema of the document accepts', async () => {
  const { tools } = await importDocument({
    openapi: '3.1.0',
    servers: [{ url: 'https://api.example' }],
    paths: {
      '/a': {
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  oneOf: [{ type: 'object' }, { $ref: '#/paths/~1a/post/requestBody' }],
                  not: { pattern: '(?=a)' },
                  patternProperties: { '^x-': {} },
                  additionalProperties: false,
                },
              },
            },
          },
        },
      },
    },
  });

  expect((tools[0]!.input_schema['properties'] as { body: unknown }).body).toEqual({
    anyOf: [{ type: 'object' }, {}],
    additionalProperties: true,
  });
});
