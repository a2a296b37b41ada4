import type { RequestListener } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { createWorkerPool } from '../../../src/catalog/worker-pool.ts';
import { callHttp } from '../../../src/content/tools/http-call.ts';
import { openedSecrets } from '../../../src/content/tools/secrets.ts';
import { HttpTemplate } from '../../../src/content/tools/schema.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const KEY = 'k3y/with "quotes"';
const workers = createWorkerPool();

const respondWith =
  (status: number, type: string, body: string | Buffer): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

const routes: Record<string, RequestListener> = {
  '/items': respondWith(200, 'application/json', '{"items":[{"n":1},{"n":2}],"constructor":3}'),
  '/text': respondWith(200, 'text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1')),
  '/image': respondWith(200, 'image/png', Buffer.from([1, 2, 3])),
  '/empty': (_request, response) => void response.writeHead(204).end(),
  '/cut': respondWith(200, 'application/json', '{"text":"cut: \\ud83d"}'),
  '/broken': respondWith(200, 'application/json', '{"a":'),
  '/deep': respondWith(200, 'application/json', '['.repeat(5_000) + ']'.repeat(5_000)),
  '/missing': respondWith(404, 'application/json', `{"no such key":${JSON.stringify(KEY)}}`),
  '/long-error': respondWith(500, 'text/plain', 'x'.repeat(100_000)),
  '/bomb': (_request, response) =>
    void response
      .writeHead(200, { 'content-encoding': 'br' })
      .end(brotliCompressSync(Buffer.alloc(2_000_000))),
  '/endless': (_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  },
  '/silent': () => undefined,
  '/redirect': (_request, response) =>
    void response.writeHead(302, { location: `/items?key=${encodeURIComponent(KEY)}` }).end(),
};

const upstream = await closeAfterTests(startUpstreamServer(routes));
const outbound = createOutbound({ allow: [upstream.host] });
afterAll(async () => {
  await Promise.all([workers.close(), outbound.close()]);
});

function call(http: Record<string, unknown>, values: Record<string, unknown> = {}, key = KEY) {
  const { path, ...rest } = http;
  const url = `${upstream.origin}${String(path)}`;
  return callHttp(
    HttpTemplate.parse({ method: 'GET', url, ...rest }),
    { arguments: values, secrets: openedSecrets(new Map([['KEY', key]])) },
    {
      signal: new AbortController().signal,
      fairnessKey: 'one',
      person: null,
      requirePermitted: async () => {},
      now: () => new Date(),
      outbound,
      workers,
    },
  );
}

test('the request is the template with its arguments, and nothing else (B8-7)', async () => {
  await call(
    {
      path: '/v1/{{id}}',
      method: 'POST',
      query: { q: '{{q}}' },
      headers: { 'X-Note': '{{note}}' },
      body: { amount: '{{amount}}' },
    },
    { id: '../admin', q: 'a&b', note: 'hi', amount: 5 },
  );

  expect(upstream.arrived.at(-1)).toEqual({
    method: 'POST',
    url: '/v1/..%2Fadmin?q=a%26b',
    headers: {
      host: upstream.host,
      connection: expect.any(String),
      'user-agent': 'toolgate',
      accept: 'application/json, text/*;q=0.9, */*;q=0.5',
      'accept-encoding': 'gzip, deflate, br',
      'content-type': 'application/json',
      'content-length': '12',
      'x-note': 'hi',
    },
    body: '{"amount":5}',
  });
});

describe('the result is derived from the response', () => {
  test.each([
    [{ path: '/items' }, { items: [{ n: 1 }, { n: 2 }], constructor: 3 }],
    [{ path: '/items', response: { query: 'items[].n' } }, [1, 2]],
    [{ path: '/items', response: { query: 'toString' } }, null],
    [{ path: '/items', response: { query: 'constructor' } }, 3],
    [
      { path: '/items', response: { format: 'text' } },
      '{"items":[{"n":1},{"n":2}],"constructor":3}',
    ],
    [{ path: '/text' }, 'café'],
    [{ path: '/empty', response: { format: 'json' } }, null],
    [{ path: '/empty' }, ''],
    [{ path: '/cut' }, { text: 'cut: \ufffd' }],
  ])('%j: %j', async (http, result) => {
    expect(await call(http)).toEqual({ status: expect.any(Number), result });
  });

  test('without any secret that the server repeats', async () => {
    const { result } = await call({
      path: '/echo',
      method: 'POST',
      query: { key: '{{secret.KEY}}' },
      headers: { authorization: 'Bearer {{secret.KEY}}' },
      body: { key: '{{secret.KEY}}', '{"a"}': 1 },
    });

    const text = JSON.stringify(result);
    expect(upstream.arrived.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(text).not.toContain('k3y');
    expect(text).toContain('Bearer [secret]');
  });
});

describe('a call fails with a tool error', () => {
  test.each([
    ['/image', {}, 'not_text'],
    ['/broken', {}, 'invalid_response'],
    ['/deep', {}, 'invalid_response'],
    ['/text', { response: { format: 'json' } }, 'invalid_response'],
    ['/items', { response: { query: 'abs(items)' } }, 'invalid_query'],
    ['/missing', {}, 'upstream_error'],
    ['/long-error', {}, 'upstream_error'],
    ['/bomb', {}, 'too_large'],
    ['/endless', {}, 'too_large'],
    ['/silent', { timeout_ms: 100 }, 'timeout'],
    ['/redirect', {}, 'redirect_refused'],
  ])('%s %j: %s (B8-4, B8-5)', async (path, more, code) => {
    await expect(call({ path, ...more })).rejects.toMatchObject({ name: 'ToolFailure', code });
  });

  test('with a short excerpt without secrets', async () => {
    await expect(call({ path: '/missing' })).rejects.toMatchObject({
      details: { status: 404, excerpt: '{"no such key":"[secret]"}' },
    });
    await expect(call({ path: '/long-error' })).rejects.toMatchObject({
      details: { status: 500, excerpt: 'x'.repeat(500) },
    });
    await expect(call({ path: '/redirect' })).rejects.toMatchObject({
      details: { status: 302, location: `${upstream.origin}/items?key=[secret]` },
    });
  });

  test('that names the secret a header cannot contain, and no argument', async () => {
    const http = { path: '/items', headers: { authorization: '{{secret.KEY}}' } };

    await expect(call(http, {}, 'line one\nline two')).rejects.toMatchObject({
      code: 'secret_invalid',
      message: expect.stringContaining('secret KEY') as string,
      details: { secret: 'KEY' },
    });
  });

  test('for a private address, or one that is not allowed (B8-2)', async () => {
    const url = 'https://127.0.0.1:9/';

    await expect(call({ path: '/', url })).rejects.toMatchObject({ code: 'address_not_public' });
  });
});
