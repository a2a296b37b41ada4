import { expect, test } from 'vitest';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import { sendRaw } from '../../support/servers/raw-request.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway);

// A new request id for each, and times, lengths and challenges that differ between two requests.
const VARYING = ['x-request-id', 'date', 'connection', 'keep-alive', 'transfer-encoding'];

async function send(method: string, path: string, headers: Record<string, string>) {
  const response = await fetch(gateway.url + path, { method, headers, redirect: 'manual' });
  const sent = new Map(response.headers);
  for (const name of VARYING) sent.delete(name);
  // A GET of a stream of events has no end; its HEAD must have one.
  const isEndless =
    method === 'GET' && response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isEndless === true) await response.body?.cancel();
  const body = isEndless === true ? '' : await response.text();
  return { status: response.status, headers: sent, body };
}

/** Returns the paths of every documented GET, with unknown ids, and those outside the API. */
async function pathsOfGet(): Promise<string[]> {
  const { paths } = (await (await fetch(`${gateway.url}/api/openapi.json`)).json()) as {
    paths: Record<string, object>;
  };
  const documented = Object.entries(paths)
    .filter(([, methods]) => 'get' in methods)
    .map(([path]) => path.replaceAll(/\{\w+\}/g, crypto.randomUUID()));
  const others = [
    '/',
    '/verify',
    '/reset',
    '/metrics',
    '/docs/api/',
    '/api/openapi.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
    '/oauth/jwks',
    '/oauth/authorize',
    '/scim/v2/nobody/ServiceProviderConfig',
  ];
  return [...documented, ...others];
}

test('HEAD is answered like GET, without a body, on every route (RFC 9110, 9.3.2)', async () => {
  const paths = await pathsOfGet();
  expect(paths.length).toBeGreaterThan(100);
  for (const path of paths) {
    const read = await send('GET', path, ada.bearer);
    const head = await send('HEAD', path, ada.bearer);

    expect([path, head.status, head.body]).toEqual([path, read.status, '']);
    expect([path, head.headers.get('content-type')]).toEqual([
      path,
      read.headers.get('content-type'),
    ]);
  }
});

test('HEAD of a page has the headers of GET, its length included', async () => {
  for (const path of ['/health', '/', '/api/openapi.json', '/api/user/profile']) {
    const read = await send('GET', path, ada.bearer);
    const head = await send('HEAD', path, ada.bearer);

    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(read.headers));
  }
});

test('HEAD needs the credential of GET, and does not exist where GET does not', async () => {
  expect((await send('HEAD', '/api/keys', {})).status).toBe(401);
  expect((await send('HEAD', '/api/auth/login', {})).status).toBe(405);
  expect((await send('HEAD', '/nothing', {})).status).toBe(404);
  const mcp = await send('HEAD', '/mcp', {});
  expect([mcp.status, mcp.headers.get('allow')]).toEqual([405, 'POST, GET, DELETE']);
});

test('an unsupported method of a known path gets a 405 with Allow, an unknown method a 400 (rel:B1-23)', async () => {
  const sendTo = (method: string) =>
    sendRaw(
      gateway.url,
      `${method} /api/keys HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );

  for (const method of ['PUT', 'TRACE', 'OPTIONS', 'QUERY']) {
    const { status, headers } = await sendTo(method);
    expect([method, status]).toEqual([method, 405]);
    expect(headers.toLowerCase()).toContain('allow: get, head, post');
  }
  // HTTP has it, but only as an extension that no path supports.
  expect((await sendTo('PROPFIND')).status).toBe(404);
  expect((await sendTo('GETT')).status).toBe(400);
});

test.each(['/health', '/health/live', '/metrics', '/docs/api', '/api/openapi.json'])(
  'an unsupported method of %s gets a 405 with Allow',
  async (path) => {
    for (const method of ['POST', 'DELETE', 'QUERY']) {
      const { status, headers } = await fetch(`${gateway.url}${path}`, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
  },
);

test.each(['/api/keys', '/scim/v2/nobody/Users', '/mcp'])(
  'a method that %s does not have is refused before its content type is looked at',
  async (path) => {
    for (const method of ['PUT', 'QUERY']) {
      const { status } = await send(method, path, { 'content-type': 'none' });
      const { status: again } = await send(method, path, {});

      expect([method, status, again]).toEqual([method, 405, 405]);
    }
  },
);
