import {
  bodyOf,
  documentOf,
  flat,
  integer,
  list,
  parameter,
  schemaRef,
  text,
} from './shorthand.ts';

/** Documents that use references, inheritance, versions, servers and names in unusual ways. */
export const references = (origin: string) => ({
  'Kubernetes’s manner': documentOf(
    origin,
    {
      '/api/v1/namespaces/{namespace}/pods': {
        parameters: [parameter('path', 'namespace', { ...text, uniqueItems: true })],
        post: {
          operationId: 'createCoreV1NamespacedPod',
          'x-kubernetes-action': 'post',
          requestBody: { required: true, ...bodyOf('*/*', schemaRef('io.k8s.Pod')) },
        },
        patch: {
          requestBody: {
            content: Object.fromEntries(
              ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'].map((type) => [
                `application/${type}`,
                { schema: { type: 'object' } },
              ]),
            ),
          },
        },
      },
    },
    {
      components: {
        schemas: {
          'io.k8s.Pod': {
            type: 'object',
            properties: {
              metadata: {
                type: 'object',
                properties: { labels: { type: 'object', additionalProperties: text } },
              },
              spec: schemaRef('io.k8s.JSON'),
              status: { allOf: [schemaRef('io.k8s.Pod')], readOnly: true },
              owner: schemaRef('io.k8s.Pod'),
            },
          },
          'io.k8s.JSON': { description: 'Any value.' },
        },
      },
    },
  ),
  'Notion’s manner, with null in 3.1': documentOf(
    origin,
    {
      '/v1/pages': {
        post: {
          parameters: [
            parameter(
              'header',
              'Notion-Version',
              { type: 'string', const: '2022-06-28' },
              { required: true },
            ),
            parameter('query', 'cursor', { type: ['string', 'null'] }),
          ],
          requestBody: bodyOf('application/json', {
            type: 'object',
            required: ['parent', 'id'],
            properties: {
              id: { $ref: '#/components/schemas/Id', readOnly: true },
              parent: {
                oneOf: [schemaRef('ById'), schemaRef('ByName')],
                discriminator: { propertyName: 'type' },
              },
              icon: { type: ['object', 'null'], properties: { emoji: text } },
              score: { type: 'number', exclusiveMinimum: 0 },
              pair: { type: 'array', prefixItems: [text, integer] },
            },
          }),
        },
      },
    },
    {
      openapi: '3.1.0',
      webhooks: { changed: { post: {} } },
      components: {
        schemas: {
          Id: text,
          ById: {
            type: 'object',
            properties: { type: { const: 'id' }, id: text },
            required: ['type'],
          },
          ByName: { type: 'object', properties: { type: { enum: ['name'] }, name: text } },
        },
      },
    },
  ),
  'inheritance with a discriminator': documentOf(
    origin,
    {
      '/animals': {
        post: {
          callbacks: { done: { '{$request.body#/url}': { post: {} } } },
          requestBody: bodyOf('application/json', schemaRef('Cat')),
        },
      },
    },
    {
      components: {
        schemas: {
          Animal: {
            type: 'object',
            required: ['kind', 'created'],
            discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
            properties: {
              kind: text,
              created: { type: 'string', format: 'date-time', readOnly: true },
            },
          },
          Cat: {
            allOf: [
              schemaRef('Animal'),
              { type: 'object', required: ['created', 'lives'], properties: { lives: integer } },
            ],
          },
        },
      },
    },
  ),
  'nullable and bounds of 3.0': documentOf(origin, {
    '/n': {
      put: {
        requestBody: bodyOf('application/json', {
          type: 'object',
          additionalProperties: false,
          properties: {
            name: { type: 'string', nullable: true, enum: ['a', 'b'] },
            any: { nullable: true },
            n: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 10 },
            code: { type: 'string', pattern: '^(?!x)y' },
            choice: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
            open: { type: 'object', additionalProperties: integer },
          },
        }),
      },
    },
  }),
  'references to everything': documentOf(
    origin,
    { '/a~b/{id}': { $ref: '#/components/pathItems/a' }, '/far': { $ref: './far.yaml' } },
    {
      openapi: '3.1.1',
      components: {
        pathItems: {
          a: {
            parameters: [{ $ref: '#/components/parameters/id' }],
            post: {
              requestBody: { $ref: '#/components/requestBodies/one' },
              responses: { 200: { $ref: '#/components/responses/one' } },
            },
          },
        },
        parameters: { id: parameter('path', 'id', schemaRef('Id')) },
        requestBodies: { one: bodyOf('application/json', schemaRef('One')) },
        responses: { one: { description: '', content: { 'image/png': {} } } },
        schemas: {
          Id: text,
          One: { $ref: '#/components/schemas/Two', description: 'One.', required: ['a'] },
          Two: {
            type: 'object',
            properties: { a: { $ref: '#/components/schemas/Flat/properties/a' } },
          },
          Flat: flat,
        },
      },
    },
  ),
  'servers with variables': documentOf(
    origin,
    {
      '/a': { get: {} },
      '/b': {
        get: { servers: [{ url: `${origin}/of/{part}`, variables: { part: { default: 'b' } } }] },
      },
      '/c': { servers: [{ url: '/relative' }], get: {} },
    },
    {
      servers: [
        {
          url: '{scheme}://{host}/base/',
          variables: {
            scheme: { default: 'http' },
            host: { default: origin.slice(7), enum: [origin.slice(7)] },
          },
        },
      ],
    },
  ),
  'names that are missing, repeated, long or not ASCII': documentOf(origin, {
    '/one/{größe}': {
      get: { summary: 'Größe 📏 lesen', parameters: [parameter('path', 'größe', text)] },
      put: { operationId: 'x'.repeat(200), parameters: [parameter('path', 'größe', text)] },
    },
    '/straße/b c': { get: { operationId: '获取' } },
    '/dup/1': { get: { operationId: 'dup' } },
    '/dup/2': { get: { operationId: 'dup', deprecated: true } },
    '/args': {
      get: {
        parameters: [
          parameter('query', 'a.b', text),
          parameter('query', 'a b', text),
          parameter('query', '$filter', text),
          parameter('query', 'constructor', text),
          parameter('query', 'filter[x][]', list),
          parameter('header', 'X-A.B', text),
          parameter('query', 'body', text),
        ],
        requestBody: bodyOf('application/json', flat),
      },
    },
    'x-vendor': { note: 'not a path' },
  }),
  'HEAD and OPTIONS': documentOf(origin, { '/h': { head: {}, options: {}, get: {} } }),
});
