import { documentOf, flat, integer, list, parameter, text } from './shorthand.ts';

/** Documents whose parameters use every location and style, and every kind of credential. */
export const styles = (origin: string) => ({
  'paths in all styles': documentOf(
    origin,
    Object.fromEntries(
      ['simple', 'label', 'matrix'].flatMap((style) =>
        [false, true].flatMap((explode) =>
          Object.entries({ plain: text, list, flat }).map(([kind, schema]) => [
            `/${style}/${explode}/${kind}/{v}/end`,
            { get: { parameters: [parameter('path', 'v', schema, { style, explode })] } },
          ]),
        ),
      ),
    ),
  ),
  'queries in all styles': documentOf(origin, {
    '/q': {
      get: {
        parameters: ['form', 'spaceDelimited', 'pipeDelimited'].flatMap((style) =>
          [false, true].flatMap((explode) => [
            parameter('query', `${style}-${explode}-plain`, text, { style, explode }),
            parameter('query', `${style}-${explode}-list`, list, { style, explode }),
          ]),
        ),
      },
    },
    '/objects': {
      get: {
        parameters: [
          parameter('query', 'csv', flat, { explode: false }),
          parameter('query', 'spaces', flat, { style: 'spaceDelimited', explode: false }),
          parameter('query', 'exploded', flat),
          parameter('query', 'deep', flat, { style: 'deepObject', explode: true }),
          parameter(
            'query',
            'deeper',
            { type: 'object', properties: { in: flat, list } },
            {
              style: 'deepObject',
            },
          ),
          parameter('query', 'json', undefined as never, {
            content: {
              'application/json': { schema: { type: 'object', properties: { in: flat } } },
            },
          }),
          parameter('query', 'plain', undefined as never, {
            content: { 'text/plain': { schema: text } },
          }),
        ],
      },
    },
  }),
  'headers and cookies': documentOf(origin, {
    '/h': {
      parameters: [parameter('header', 'X-Path', text), parameter('cookie', 'seen', integer)],
      get: {
        parameters: [
          parameter('header', 'X-List', list),
          parameter('header', 'X-Flat', flat),
          parameter('header', 'X-Exploded', flat, { explode: true }),
          parameter('header', 'X-Json', undefined as never, {
            content: { 'application/json': { schema: flat } },
          }),
          parameter('cookie', 'ids', list, { explode: false }),
          parameter('cookie', 'flat', flat, { explode: false }),
          parameter('cookie', 'exploded', list),
          parameter('header', 'Accept', text),
          parameter('header', 'Transfer-Encoding', text),
          parameter('header', 'X-Path', list),
        ],
      },
    },
  }),
  'parameters that cannot be sent': documentOf(origin, {
    '/optional': {
      get: {
        parameters: [
          parameter('query', 'nested', { type: 'object', properties: { in: flat } }),
          parameter('query', 'lists', { type: 'array', items: list }, { explode: false }),
          parameter('query', 'strange', text, { style: 'fancy' }),
          parameter('querystring', 'all', flat),
          parameter('query', 'xml', undefined as never, { content: { 'application/xml': {} } }),
          parameter('query', 'fine', text),
        ],
      },
    },
    '/required': {
      get: { parameters: [parameter('cookie', 'all', list, { required: true })] },
    },
    '/nested/{v}': {
      get: { parameters: [parameter('path', 'v', { type: 'array', items: list })] },
    },
  }),
  'GitHub’s manner': documentOf(
    `${origin}/api/v3`,
    {
      '/repos/{owner}/{repo}/issues': {
        parameters: [{ $ref: '#/components/parameters/owner' }],
        get: {
          operationId: 'issues/list-for-repo',
          summary: 'List repository issues',
          parameters: [
            parameter('path', 'repo', text),
            parameter('query', 'labels', text),
            parameter('query', 'per_page', { type: 'integer', default: 30, maximum: 100 }),
            parameter('header', 'accept', text),
          ],
          responses: { 200: { content: { 'application/json': {} } } },
        },
      },
      '/search/code': {
        get: {
          operationId: 'search/code',
          parameters: [parameter('query', 'q', text, { required: true })],
        },
      },
      '/archive': {
        get: {
          operationId: 'repos/archive',
          responses: { 200: { content: { 'application/zip': {} } } },
        },
      },
    },
    { components: { parameters: { owner: parameter('path', 'owner', text) } } },
  ),
  'every kind of credential': documentOf(
    origin,
    Object.fromEntries(
      ['header', 'query', 'cookie', 'bearer', 'basic', 'oauth', 'openid'].map((scheme) => [
        `/${scheme}`,
        { get: { security: [{ [scheme]: [] }], parameters: [parameter('header', 'X-Key', text)] } },
      ]),
    ),
    {
      security: [{ header: [] }],
      components: {
        securitySchemes: {
          header: { type: 'apiKey', in: 'header', name: 'x-key' },
          query: { type: 'apiKey', in: 'query', name: 'key' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
          bearer: { type: 'http', scheme: 'bearer' },
          basic: { type: 'http', scheme: 'basic' },
          oauth: { type: 'oauth2', flows: {} },
          openid: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
        },
      },
    },
  ),
});
