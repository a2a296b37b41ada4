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

const binary = { type: 'string', format: 'binary' };
const deepObject = { style: 'deepObject', explode: true };

/** Documents whose operations have every kind of body. */
export const bodies = (origin: string) => ({
  'the pet store': documentOf(
    `${origin}/v2`,
    {
      '/pet': {
        post: {
          operationId: 'addPet',
          requestBody: {
            content: {
              'application/xml': { schema: schemaRef('Pet') },
              'application/json': { schema: schemaRef('Pet') },
            },
          },
        },
      },
      '/pet/xml': { put: { requestBody: bodyOf('application/xml', schemaRef('Pet')) } },
      '/pet/findByStatus': {
        get: {
          operationId: 'findPetsByStatus',
          deprecated: true,
          parameters: [
            parameter('query', 'status', {
              type: 'array',
              items: { type: 'string', enum: ['available', 'sold'] },
            }),
          ],
        },
      },
      '/pet/{petId}/uploadImage': {
        post: {
          operationId: 'uploadFile',
          parameters: [parameter('path', 'petId', { type: 'integer', format: 'int64' })],
          requestBody: bodyOf('application/octet-stream', binary),
        },
      },
    },
    {
      components: {
        schemas: {
          Id: { type: 'integer', readOnly: true },
          Pet: {
            type: 'object',
            required: ['id', 'name'],
            properties: { id: schemaRef('Id'), name: text, tags: list },
          },
        },
      },
    },
  ),
  'Stripe’s manner': documentOf(origin, {
    '/v1/customers': {
      get: {
        operationId: 'GetCustomers',
        parameters: [
          parameter('query', 'created', { anyOf: [flat, integer] }, deepObject),
          parameter('query', 'expand', list, deepObject),
        ],
        // Their document has an empty form here.
        requestBody: bodyOf('application/x-www-form-urlencoded', {
          type: 'object',
          properties: {},
        }),
      },
      post: {
        operationId: 'PostCustomers',
        requestBody: bodyOf(
          'application/x-www-form-urlencoded',
          {
            type: 'object',
            properties: {
              email: text,
              metadata: { anyOf: [{ type: 'object', additionalProperties: text }, text] },
              expand: list,
              shipping: { type: 'object', properties: { address: flat } },
              tags: list,
              note: flat,
            },
          },
          {
            encoding: {
              metadata: deepObject,
              expand: deepObject,
              shipping: deepObject,
              tags: { style: 'form', explode: false },
            },
          },
        ),
      },
    },
  }),
  'Slack’s manner': documentOf(`${origin}/api`, {
    '/files.upload': {
      post: {
        operationId: 'files_upload',
        parameters: [parameter('header', 'token', text)],
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { channels: text, title: text } },
            },
          },
        },
      },
    },
  }),
  'Box’s manner': documentOf(origin, {
    '/files/content': {
      post: {
        operationId: 'post_files_content',
        parameters: [
          parameter('query', 'fields', list, { explode: false }),
          parameter('header', 'content-md5', text),
        ],
        requestBody: bodyOf(
          'multipart/form-data',
          {
            type: 'object',
            required: ['attributes', 'file'],
            properties: { attributes: flat, file: binary, extra: { type: 'array', items: binary } },
          },
          { encoding: { file: { contentType: 'image/png, image/jpeg' } } },
        ),
      },
    },
    '/avatar': { post: { requestBody: bodyOf('image/*', binary) } },
    '/picture': { put: { requestBody: bodyOf('image/png', binary, {}) } },
  }),
  'Twilio’s manner': documentOf(origin, {
    '/2010-04-01/Accounts/{AccountSid}/Messages.json': {
      servers: [{ url: `${origin}/twilio` }],
      post: {
        parameters: [
          parameter('path', 'AccountSid', { type: 'string', pattern: '^AC[0-9a-f]{32}$' }),
        ],
        requestBody: bodyOf('application/x-www-form-urlencoded', {
          type: 'object',
          required: ['To'],
          properties: { To: text, MediaUrl: list, Extra: {} },
        }),
      },
    },
  }),
  'searches by GET and DELETE with a body': documentOf(origin, {
    '/_search': {
      get: { requestBody: { required: true, ...bodyOf('application/json', flat) } },
      delete: { requestBody: bodyOf('application/json', { type: 'array', items: text }) },
    },
  }),
  'text, ranges and media types': documentOf(origin, {
    '/csv': { post: { requestBody: bodyOf('text/csv', text) } },
    '/markdown': { post: { requestBody: bodyOf('text/x-markdown', undefined) } },
    '/soap': { post: { requestBody: bodyOf('application/soap+xml', text) } },
    '/any': { post: { requestBody: bodyOf('*/*', flat) } },
    '/any-file': { post: { requestBody: bodyOf('*/*', binary) } },
    '/vendor': { post: { requestBody: bodyOf('application/vnd.api+json; version=1', flat) } },
    '/yaml': { post: { requestBody: bodyOf('application/yaml', flat) } },
    '/proto': { post: { requestBody: bodyOf('application/x-protobuf', flat) } },
    '/mixed': { post: { requestBody: bodyOf('multipart/mixed', flat) } },
    '/none': { post: { requestBody: { content: {} } } },
    '/pdf': { post: { requestBody: { content: { 'application/pdf': {}, 'image/png': {} } } } },
  }),
  'parts of forms that cannot be sent': documentOf(origin, {
    '/optional': {
      post: {
        requestBody: bodyOf(
          'multipart/form-data',
          { type: 'object', properties: { xml: flat, note: text, odd: text } },
          {
            encoding: {
              xml: { contentType: 'application/xml' },
              note: { headers: { 'X-Part': { schema: text } } },
              odd: { style: 'matrix' },
            },
          },
        ),
      },
    },
    '/required': {
      post: {
        requestBody: bodyOf(
          'multipart/form-data',
          { type: 'object', required: ['xml'], properties: { xml: flat } },
          { encoding: { xml: { contentType: 'application/xml' } } },
        ),
      },
    },
  }),
});
