import { describe, expect, test } from 'vitest';
import { ownAddresses } from '../../support/people/people.ts';
import { sendRaw } from '../../support/servers/raw-request.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import type { Gateway } from '../../support/worlds/world.ts';

const { world, gateway: onLoopback } = await useGateway(
  { ...ownAddresses, METRICS_TOKEN: 'x'.repeat(16) },
  { env: { PUBLIC_URL: 'http://localhost:7070' } },
);
const isPublic = await world.gateway({ env: { PUBLIC_URL: 'https://gate.example' } });

const get = (gateway: Gateway, path: string, ...hosts: string[]) =>
  sendRaw(
    gateway.url,
    [
      `GET ${path} HTTP/1.1`,
      ...hosts.map((host) => `Host: ${host}`),
      'Connection: close',
      '',
      '',
    ].join('\r\n'),
  );

// A page whose name was rebound to loopback sends its own name.
describe.each([
  '/',
  '/verify',
  '/health',
  '/metrics',
  '/api/openapi.json',
  '/api/keys',
  '/docs/api',
  '/dev/mail.json',
  '/oauth/authorize',
  '/.well-known/oauth-authorization-server',
  '/scim/v2/nobody/Users',
  '/mcp',
  '/mcp/',
  '/nothing',
])('%s on loopback', (path) => {
  test('refuses a foreign Host with 421, and accepts its own (rel:B1-20)', async () => {
    const ports = [7070, new URL(onLoopback.url).port];

    for (const host of ['evil.example', 'evil.example:7070', 'localhost:1']) {
      const { status, body } = await get(onLoopback, path, host);
      expect([host, status]).toEqual([host, 421]);
      // A browser that is sent to authorize gets a page.
      if (path !== '/oauth/authorize')
        expect(body).toContain('must name this server. Use http://localhost:7070.');
    }
    for (const port of ports)
      for (const name of ['localhost', '127.0.0.1', '[::1]'])
        expect((await get(onLoopback, path, `${name}:${port}`)).status).not.toBe(421);
  });
});

describe.each(['/health', '/api/openapi.json', '/dev/mail.json', '/mcp', '/nothing'])(
  '%s on loopback, with a whole URL as its target',
  (path) => {
    test.each([
      ['a foreign host with an own Host', 'http://evil.example', 'localhost:7070'],
      ['a foreign port', 'http://localhost:1', 'localhost:7070'],
      [
        'an own host as the user of a foreign one',
        'http://localhost:7070@evil.example',
        'localhost:7070',
      ],
      ['no host', 'http://', 'localhost:7070'],
    ])('is refused with 421 if it names %s', async (_, origin, host) => {
      expect((await get(onLoopback, `${origin}${path}`, host)).status).toBe(421);
    });

    test.each(['http://localhost:7070', 'HTTP://127.0.0.1:7070', 'https://[::1]:7070'])(
      'is answered as the path alone if it is of %s, whatever Host is (RFC 9112 3.2.2)',
      async (origin) => {
        const expected = await get(onLoopback, path, 'localhost:7070');
        const { status, body } = await get(onLoopback, `${origin}${path}`, 'evil.example');

        expect([status, body]).toEqual([expected.status, expected.body]);
      },
    );
  },
);

test('a target that is a whole URL does not replace the one Host that is required', async () => {
  expect((await get(onLoopback, 'http://localhost:7070/health')).status).toBe(400);
  expect((await get(onLoopback, 'http://localhost:7070/health', 'a', 'b')).status).toBe(400);
});

test('exactly one Host is required, and on a public deployment its value changes nothing (rel:B1-20)', async () => {
  for (const path of ['/health', '/mcp']) {
    expect((await get(isPublic, path)).status).toBe(400);
    expect((await get(isPublic, path, 'a', 'b')).status).toBe(400);
  }
  const metadata = await get(isPublic, '/.well-known/oauth-authorization-server', 'evil.example');
  expect(metadata.status).toBe(200);
  expect(metadata.body).toContain('https://gate.example');
  expect(metadata.body).not.toContain('evil');
});
