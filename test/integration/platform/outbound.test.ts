import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutbound, type OutboundRequest } from '../../../src/platform/outbound/outbound.ts';

const MEGABYTE = 1_048_576;
const routes: Record<string, RequestListener> = {
  '/echo': (request, response) => {
    const { authorization, cookie, host } = request.headers;
    response.setHeader('set-cookie', 'session=1');
    response.setHeader('x-seen', JSON.stringify({ authorization, cookie, host }));
    request.pipe(response);
  },
  '/redirect': (_request, response) => void response.writeHead(302, { location: '/echo' }).end(),
  '/endless': (_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  },
  '/silent': () => undefined,
  '/slow': (_request, response) => void response.writeHead(200).write('first'),
  '/gzip': (_request, response) =>
    void response.setHeader('content-encoding', 'gzip').end(gzipSync('plain text')),
  '/bomb': (_request, response) =>
    void response
      .setHeader('content-encoding', 'br')
      .end(brotliCompressSync(Buffer.alloc(MEGABYTE))),
  '/false-gzip': (_request, response) =>
    void response.setHeader('content-encoding', 'gzip').end('not gzip at all'),
  '/missing': (_request, response) => void response.writeHead(404).end('none'),
};

let server: Server;
let origin: string;
let ended = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.on('close', () => void (ended += 1));
    routes[request.url ?? '']?.(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.closeAllConnections());

const open = createOutbound({ allow: ['127.0.0.1', 'localhost'] });
const request = (path: string, more: Partial<OutboundRequest> = {}) =>
  open.fetch({ url: origin + path, timeoutMs: 10_000, maxBytes: 100_000, ...more });

test('an allowed host is reached over http, without cookies in either direction', async () => {
  const response = await request('/echo', {
    method: 'post',
    body: 'hello',
    headers: { Authorization: 'Bearer upstream' },
  });

  expect(response).toMatchObject({ status: 200, url: `${origin}/echo` });
  expect(Buffer.from(response.body).toString()).toBe('hello');
  expect(JSON.parse(response.headers['x-seen'] ?? '')).toEqual({
    authorization: 'Bearer upstream',
    host: new URL(origin).host,
  });
  expect(response.headers).not.toHaveProperty('set-cookie');
});

test('an error status is a response, not a refusal', async () => {
  expect(await request('/missing')).toMatchObject({ status: 404 });
});

test('a redirect is not followed, and its target is reported (B8-4)', async () => {
  await expect(request('/redirect')).rejects.toMatchObject({
    code: 'redirect_refused',
    details: { status: 302, location: `${origin}/echo` },
  });
});

test('a compressed response is decompressed', async () => {
  const response = await request('/gzip');

  expect(Buffer.from(response.body).toString()).toBe('plain text');
});

test('a HEAD request has no body to decompress', async () => {
  expect(await request('/gzip', { method: 'HEAD' })).toMatchObject({ status: 200 });
});

test.each([
  ['/endless', 'too_large'],
  ['/bomb', 'too_large'],
  ['/false-gzip', 'invalid_response'],
])('%s is refused as %s (B8-5)', async (path, code) => {
  await expect(request(path)).rejects.toMatchObject({ code });
});

test.each(['/silent', '/slow'])('%s ends at the timeout (B8-5)', async (path) => {
  const before = ended;

  await expect(request(path, { timeoutMs: 150 })).rejects.toMatchObject({ code: 'timeout' });

  await expect.poll(() => ended).toBe(before + 1);
});

test("the caller's own cancellation keeps its reason", async () => {
  const reason = new Error('the client left');
  const controller = new AbortController();

  const answer = request('/silent', { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 50);

  await expect(answer).rejects.toBe(reason);
});

test('a port without a listener is unreachable', async () => {
  const answer = open.fetch({ url: 'http://127.0.0.1:1/', timeoutMs: 5000, maxBytes: 10 });

  await expect(answer).rejects.toMatchObject({ code: 'unreachable' });
});

test('a streamed response arrives as it is sent, and fails at its limits (B8-5)', async () => {
  const ask = (path: string, more: Partial<OutboundRequest> = {}) =>
    open.open({ url: origin + path, timeoutMs: 10_000, maxBytes: 100_000, ...more });

  const slow = await ask('/slow', { timeoutMs: 300 });
  const chunks: string[] = [];
  const reading = (async () => {
    for await (const chunk of slow.body) chunks.push(String(chunk));
  })();
  await expect.poll(() => chunks).toEqual(['first']);
  await expect(reading).rejects.toMatchObject({ code: 'timeout' });
  await expect((await ask('/endless')).body.toArray()).rejects.toMatchObject({ code: 'too_large' });
  await expect(ask('/gzip')).rejects.toMatchObject({ code: 'invalid_response' });
  await expect(ask('/redirect')).rejects.toMatchObject({ code: 'redirect_refused' });
});

test('a streamed response that is no longer read is closed', async () => {
  let isClosed = false;
  routes['/held'] = (_request, response) => {
    response.once('close', () => void (isClosed = true));
    response.writeHead(200).write('first');
  };
  const answer = await open.open({ url: `${origin}/held`, timeoutMs: 10_000, maxBytes: 100 });

  answer.body.destroy();

  await expect.poll(() => isClosed).toBe(true);
});

test('loopback is refused unless this host and port are allowed', async () => {
  const { host } = new URL(origin);
  const url = `${origin}/missing`;
  const onlyPort = createOutbound({ allow: [host] });
  const otherPort = createOutbound({ allow: ['127.0.0.1:1'] });

  expect(await onlyPort.fetch({ url, timeoutMs: 5000, maxBytes: 10 })).toMatchObject({
    status: 404,
  });
  await expect(otherPort.fetch({ url, timeoutMs: 5000, maxBytes: 10 })).rejects.toMatchObject({
    code: 'url_not_allowed',
  });
});

test('a URL that may never be requested is refused in advance (B8-1, B8-2)', () => {
  for (const url of ['http://example.com/', 'https://10.0.0.1/', 'https://0x0a.1/', 'mailto:a@b'])
    expect(() => open.check(url)).toThrow(expect.objectContaining({ name: 'OutboundError' }));
  expect(() => open.check('https://example.com/')).not.toThrow();
  expect(() => open.check(origin)).not.toThrow();
});

test('a name is resolved once, and the checked address is used for the connection (B8-3)', async () => {
  const answers = ['127.0.0.1', '192.0.2.1'];
  const outbound = createOutbound({
    allow: ['rebinding.test'],
    resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
  });
  const url = origin.replace('127.0.0.1', 'rebinding.test');

  const response = await outbound.fetch({ url: `${url}/echo`, timeoutMs: 5000, maxBytes: 10 });

  expect(JSON.parse(response.headers['x-seen'] ?? '')).toEqual({ host: new URL(url).host });
  expect(answers).toEqual(['192.0.2.1']);
});
