import { describe, expect, test } from 'vitest';
import { httpProblems } from '../../../src/content/tools/http-problems.ts';
import { buildRequest } from '../../../src/content/tools/http-request.ts';
import { inputSchemaProblems } from '../../../src/content/tools/input-schema.ts';
import { importOpenApi } from '../../../src/content/tools/openapi/import.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';

const petStore = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  servers: [
    {
      url: 'https://{region}.pets.example/v1/',
      variables: { region: { default: 'eu' } },
    },
  ],
  security: [{ digest: [] }, { 'api key': [] }],
  paths: {
    '/pets/{pet-id}': {
      parameters: [{ $ref: '#/components/parameters/pet' }],
      get: {
        operationId: 'getPetById',
        summary: 'One pet',
        description: 'Reads\u202e it.',
        parameters: [
          { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          {
            name: 'page[size]',
            in: 'query',
            schema: { type: 'integer', exclusiveMinimum: true, minimum: 0 },
          },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
          { name: 'old', in: 'cookie', style: 'unknown', schema: { type: 'string' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string', pattern: '^(?=a)b' } },
          { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
        ],
      },
      put: {
        operationId: 'get-pet_by--id',
        security: [{ bearer: [] }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
      },
      head: {},
    },
    '/pets': {
      post: {
        operationId: 'getPetById',
        security: [],
        requestBody: {
          content: {
            'application/xml': {},
            'application/x-www-form-urlencoded': { schema: { type: 'object' } },
          },
        },
      },
    },
  },
  components: {
    parameters: { pet: { name: 'pet-id', in: 'path', required: true, schema: { type: 'string' } } },
    securitySchemes: {
      'api key': { type: 'apiKey', in: 'header', name: 'X-Key' },
      digest: { type: 'http', scheme: 'digest' },
      bearer: { type: 'http', scheme: 'bearer' },
    },
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'integer', readOnly: true },
          name: { type: 'string', nullable: true, example: 'Rex' },
          parent: { $ref: '#/components/schemas/Pet' },
        },
      },
    },
  },
};

const importDocument = async (document: object, operations?: string[]) => {
  const found = await importOpenApi(document as Record<string, unknown>, {
    operations,
    isTaken: (name) => name === 'calculator',
  });
  if (found === null) throw new Error('not OpenAPI');
  return found;
};
const outbound = createOutbound({ allow: [] });

describe('an OpenAPI document becomes tools', () => {
  test('one for each operation, with unused names', async () => {
    const { tools, skipped } = await importDocument(petStore);

    expect(tools.map(({ operation, name }) => [operation, name])).toEqual([
      ['GET /pets/{pet-id}', 'get_pet_by_id'],
      ['PUT /pets/{pet-id}', 'get-pet_by--id'],
      ['POST /pets', 'get_pet_by_id_2'],
    ]);
    expect(skipped).toEqual([
      { operation: 'HEAD /pets/{pet-id}', code: 'unsupported_method', message: expect.any(String) },
    ]);
  });

  test('that can be saved, with requests as the document describes them', async () => {
    const { tools } = await importDocument(petStore);

    for (const { http, input_schema } of tools) {
      expect(inputSchemaProblems(input_schema)).toEqual([]);
      expect(httpProblems(http, input_schema, outbound)).toEqual([]);
    }
    const values = {
      arguments: { 'pet-id': 'a/b', fields: ['x', 'y'], page_size_: 5 },
      secrets: new Map([['API_KEY', 'k']]),
    };
    expect(buildRequest(tools[0]!.http, values)).toMatchObject({
      method: 'GET',
      url: 'https://eu.pets.example/v1/pets/a%2Fb?fields=x&fields=y&page%5Bsize%5D=5',
      headers: { 'x-key': 'k' },
      body: null,
    });
  });

  test('whose arguments are its parameters and its body', async () => {
    const { tools } = await importDocument(petStore);

    expect(tools[0]).toMatchObject({
      title: 'One pet',
      description: 'One pet\n\nReads it.',
      secrets: [{ name: 'API_KEY', holds: 'an API key' }],
    });
    expect(tools[0]!.input_schema).toEqual({
      type: 'object',
      properties: {
        'pet-id': { type: 'string' },
        fields: { type: 'array', items: { type: 'string' } },
        page_size_: { type: 'integer', minimum: 0, exclusiveMinimum: 0 },
        filter: { type: 'object' },
        session: { type: 'string' },
        'X-Trace': { type: 'string' },
      },
      required: ['pet-id'],
      additionalProperties: false,
    });
    expect(tools[1]!.input_schema['properties']).toEqual({
      'pet-id': { type: 'string' },
      body: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: ['string', 'null'] }, parent: {} },
      },
    });
    expect(tools[1]!.http.headers).toEqual({ Authorization: 'Bearer {{secret.BEARER}}' });
    expect(tools[2]).toMatchObject({
      secrets: [],
      http: { body: '{{body}}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    });
  });

  test('and requested operations that do not exist are reported', async () => {
    const { tools, skipped } = await importDocument(petStore, ['POST /pets', 'none']);

    expect(tools.map(({ operation }) => operation)).toEqual(['POST /pets']);
    expect(skipped.map(({ operation, code }) => [operation, code])).toEqual([
      ['HEAD /pets/{pet-id}', 'unsupported_method'],
      ['none', 'unknown_operation'],
    ]);
  });
});

test.each([
  [{}],
  [{ swagger: '2.0' }],
  [{ openapi: '2.0.0' }],
  [{ openapi: 3 }],
  [{ openapi: '3.2' }],
])('%j is not OpenAPI 3.0 or 3.1', async (document) => {
  expect(await importOpenApi(document, { isTaken: () => false })).toBeNull();
});

describe('an operation is skipped with a reason', () => {
  const servers = [{ url: 'https://api.example' }];
  const one = (operation: object, more: object = {}) => ({
    openapi: '3.1.0',
    servers,
    paths: { '/a': { get: operation } },
    ...more,
  });
  const parameter = (fields: object) => one({ parameters: [fields] });
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, {}]));
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      {
        allOf: [
          { $ref: `#/components/schemas/d${index + 1}` },
          { $ref: `#/components/schemas/d${index + 1}` },
        ],
      },
    ]),
  );

  test.each([
    ['without a server', one({}, { servers: undefined }), 'no_server'],
    ['of a relative server', one({}, { servers: [{ url: '/v1' }] }), 'no_server'],
    [
      'of a server with a query',
      one({}, { servers: [{ url: 'https://a.example?b=' }] }),
      'no_server',
    ],
    [
      'with a remote reference',
      parameter({ $ref: 'https://evil.example/p.json' }),
      'invalid_reference',
    ],
    ['with a reference to a file', parameter({ $ref: '../../etc/passwd' }), 'invalid_reference'],
    ['with a dangling reference', parameter({ $ref: '#/components/none' }), 'invalid_reference'],
    [
      'with a reference to an inherited property',
      parameter({ $ref: '#/constructor' }),
      'invalid_reference',
    ],
    [
      'with a reference cycle',
      parameter({ $ref: '#/paths/~1a/get/parameters/0' }),
      'invalid_reference',
    ],
    ['with a parameter that is not an object', one({ parameters: [5] }), 'invalid_document'],
    [
      'with a parameter whose name is not a string',
      parameter({ name: { toString: 5 }, in: { toString: 5 }, required: true, schema: {} }),
      'unsupported_parameter',
    ],
    [
      'with a credential whose scheme is not a string',
      one(
        { security: [{ k: [] }] },
        { components: { securitySchemes: { k: { type: 'http', scheme: { toString: 5 } } } } },
      ),
      'unsupported_security',
    ],
    [
      'with an undeclared path parameter',
      { ...one({}), paths: { '/a/{b}': { get: {} } } },
      'invalid_document',
    ],
    ['with a path that is not an object', { ...one({}), paths: { '/a': 5 } }, 'invalid_document'],
    [
      'with a required list of cookies',
      parameter({
        ...{ name: 'a', in: 'cookie', required: true },
        schema: { type: 'array', items: {} },
      }),
      'unsupported_parameter',
    ],
    [
      'with an XML body',
      one({ requestBody: { content: { 'application/xml': {} } } }),
      'unsupported_body',
    ],
    ['with an undeclared credential', one({ security: [{ none: [] }] }), 'unsupported_security'],
    [
      'with too many arguments',
      parameter({ name: 'a', in: 'query', schema: { properties: wide } }),
      'too_large',
    ],
  ])('%s', async (_, document, code) => {
    const { tools, skipped } = await importDocument(document);

    expect(tools).toEqual([]);
    expect(skipped.map(({ code: skipCode }) => skipCode)).toEqual([code]);
  });

  test('unless its schema can be simplified, which a warning says', async () => {
    const schema = { $ref: '#/components/schemas/d0' };
    const { tools, skipped, warnings } = await importDocument({
      ...parameter({ name: 'a', in: 'query', schema }),
      components: { schemas: { ...doubling, d40: {} } },
    });

    expect(skipped).toEqual([]);
    expect(inputSchemaProblems(tools[0]!.input_schema)).toEqual([]);
    const detail = { pointer: '/paths/~1a/get' };
    expect(warnings).toEqual([expect.objectContaining({ code: 'simplified_schema', detail })]);
  });

  test('beyond the hundredth operation', async () => {
    const all = Array.from({ length: 150 }, (_, index) => [`/p${index}`, { get: {} }]);
    const paths = Object.fromEntries(all);

    const { tools, skipped } = await importDocument({ ...one({}), paths });

    expect(tools).toHaveLength(100);
    expect(skipped.map(({ code }) => code)).toEqual(Array.from({ length: 50 }, () => 'too_many'));
  });
});
