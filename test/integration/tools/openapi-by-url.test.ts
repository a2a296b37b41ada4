import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createAuthor, faultsOf } from '../content/author.ts';
import { call, keyOf } from './tool-world.ts';

const path = '/api/me/custom-tools/import';
const respondWith =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(body);

const paths = {
  '/pets/{id}': {
    get: {
      operationId: 'getPet',
      parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }],
    },
  },
};
const pets = { openapi: '3.0.3', servers: [{ url: '/v1' }], paths };

/** A document of about 19 MB, of which one operation is wanted. */
function largeDocument() {
  const filler = Array.from({ length: 60_000 }, (_, index) => [
    `/filler/${index}`,
    { get: { operationId: `filler${index}`, description: 'x'.repeat(240), parameters: [] } },
  ]);
  return JSON.stringify({ ...pets, paths: { ...Object.fromEntries(filler), ...paths } });
}

const sharedParameters = Array.from(
  { length: 1_200 },
  (_, index) => `{name: p${index}, in: query, schema: *x}`,
).join(', ');

const upstream = await closeAfterTests(
  startUpstreamServer({
    '/openapi.json': respondWith(JSON.stringify(pets)),
    '/openapi.yaml': respondWith(
      'openapi: 3.1.0\nservers: [{url: /v1}]\npaths:\n  /a: &a\n    get: {operationId: yaml_a}\n  /b: *a\n',
    ),
    '/shared.yaml': respondWith(
      `openapi: 3.1.0\nservers: [{url: /v1}]\nx: &x {type: string}\npaths: {/shared: {get: {parameters: [${sharedParameters}]}}}\n`,
    ),
    '/unresolved.yaml': respondWith('openapi: 3.1.0\npaths: {/a: {get: *nothing}}\n'),
    '/merged.yaml': respondWith('openapi: 3.1.0\npaths: {/a: {<<: hello}}\n'),
    '/circular.yaml': respondWith(
      'openapi: 3.1.0\nservers: [{url: /v1}]\npaths: {/a: {get: {parameters: [{name: x, in: query, schema: {type: array, default: &d [*d]}}]}}}\n',
    ),
    '/large.json': respondWith(largeDocument()),
    '/larger.json': respondWith(' '.repeat(21 * 1_048_576)),
    '/swagger.json': respondWith('{"swagger": "2.0"}'),
    '/other.json': respondWith('{"openapi": "4.0.0"}'),
    '/list.json': respondWith('[]'),
    '/broken': respondWith('{"a": [}'),
    '/missing': respondWith('', 404),
    '/moved': (_request, response) =>
      void response.writeHead(302, { location: '/openapi.json' }).end(),
    '/nul.json': respondWith(
      JSON.stringify({
        ...pets,
        paths: {
          ...paths,
          '/nul': {
            post: {
              requestBody: { content: { 'application/json': { schema: { default: '\0' } } } },
            },
          },
        },
      }),
    ),
  }),
);
const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: upstream.host });
const ada = await createAuthor(world, gateway);

const importFrom = (name: string, more: object = {}) =>
  ada.rest(path, { url: `${upstream.origin}${name}`, ...more });

describe('an import by URL', () => {
  test('creates tools whose relative servers are those of the document, and they work', async () => {
    const { status, body } = await importFrom('/openapi.json');

    expect([status, body['skipped'], body['warnings']]).toEqual([200, [], []]);
    const { result } = await call(ada, await keyOf(ada), 'get_pet', { id: 'a/b' });
    expect(result.structuredContent.result).toMatchObject({ method: 'GET', url: '/v1/pets/a%2Fb' });
  });

  test('reads YAML', async () => {
    const { body } = await importFrom('/openapi.yaml');

    expect((body['tools'] as { operation: string }[]).map(({ operation }) => operation)).toEqual([
      'GET /a',
      'GET /b',
    ]);
  });

  test('reads YAML that uses one anchored schema 1,200 times', async () => {
    const { status, body } = await importFrom('/shared.yaml');

    expect([status, body['tools'], body['skipped']]).toEqual([
      200,
      [],
      // Too many parameters for one tool, whose operation alone is left out.
      [expect.objectContaining({ operation: 'GET /shared' })],
    ]);
  });

  test('of 19 MB reads the named operation', async () => {
    const { status, body } = await importFrom('/large.json', { operations: ['getPet'] });

    expect([status, body['skipped']]).toEqual([200, []]);
    expect(body['tools']).toHaveLength(1);
  });

  test.each([
    ['/larger.json', 'too_large /url'],
    ['/swagger.json', 'unsupported_document /url'],
    ['/other.json', 'unsupported_document /url'],
    ['/list.json', 'invalid_document /url'],
    ['/broken', 'invalid_document /url'],
    ['/unresolved.yaml', 'invalid_document /url'],
    ['/merged.yaml', 'invalid_document /url'],
    ['/circular.yaml', 'invalid_document /url'],
    ['/missing', 'upstream_error /url'],
    ['/moved', 'redirect_refused /url'],
  ])('of %s is refused: %s', async (name, fault) => {
    expect(faultsOf(await importFrom(name))).toEqual([422, fault]);
  });

  test('passes the SSRF guard (B8-1, B8-2)', async () => {
    for (const [url, code] of [
      ['https://127.0.0.1/openapi.json', 'address_not_public'],
      ['http://api.example/openapi.json', 'url_not_allowed'],
      ['file:///etc/passwd', 'url_not_allowed'],
    ])
      expect(faultsOf(await ada.rest(path, { url }))).toEqual([422, `${code} /url`]);
  });

  test('skips operations that a request body could not contain', async () => {
    const { body } = await importFrom('/nul.json', { operations: ['POST /nul'] });

    expect(body['tools']).toEqual([]);
    expect(body['skipped']).toEqual([expect.objectContaining({ code: 'invalid_document' })]);
  });

  test('needs either a URL or a document', async () => {
    for (const body of [{}, { url: 'https://a.example', document: {} }])
      expect((await ada.rest(path, body)).status).toBe(400);
  });
});
