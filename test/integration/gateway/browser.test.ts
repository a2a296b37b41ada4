import { describe, expect, test } from 'vitest';
import { createPerson, goodPassword, ownAddresses, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import type { Gateway } from '../../support/worlds/world.ts';

const DASHBOARD = 'https://app.toolgate.test';
const EVIL = 'https://evil.test';

const { world, gateway } = await useGateway({
  PUBLIC_URL: 'https://api.toolgate.test',
  ...ownAddresses,
});
const withDashboard = await world.gateway({ env: { DASHBOARD_URL: DASHBOARD } });
const ada = await signUp(world, withDashboard);

/** Sends a request; `cors` contains the CORS headers of its response. */
async function ask(target: Gateway, path: string, init: RequestInit = {}) {
  const { status, headers } = await fetch(target.url + path, init);
  const cors = [...headers].filter(([name]) => name.startsWith('access-control-'));
  return { status, headers, cors: Object.fromEntries(cors) };
}

const preflight = (origin: string, method = 'PATCH'): RequestInit => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type, idempotency-key, if-match',
  },
});

describe('a dashboard with its own origin (rel:B6-6)', () => {
  test('may send any request under /api, with cookies', async () => {
    expect(await ask(withDashboard, '/api/user/profile', preflight(DASHBOARD))).toMatchObject({
      status: 204,
      cors: {
        'access-control-allow-origin': DASHBOARD,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'content-type, idempotency-key, if-match',
      },
    });
  });

  test.each([
    ['a successful response', '/api/auth/captcha', 200],
    ['an error response', '/api/user/profile', 401],
    ['an unknown path', '/api/nothing', 404],
  ])('may read %s', async (_what, path, status) => {
    const answer = await ask(withDashboard, path, { headers: { origin: DASHBOARD } });

    expect(answer).toMatchObject({
      status,
      cors: {
        'access-control-allow-origin': DASHBOARD,
        'access-control-allow-credentials': 'true',
      },
    });
    expect(answer.headers.get('vary')).toBe('Origin');
  });

  test("signs in and acts with the API's cookies; pages of other origins cannot (rel:B6-1)", async () => {
    const login = (origin: string) =>
      createPerson(withDashboard.url).ask({
        path: '/api/auth/login',
        body: { email: ada.email, password: goodPassword },
        headers: { origin, 'sec-fetch-site': 'same-site' },
      });
    const signedIn = await login(DASHBOARD);
    const cookie = `__Host-session=${signedIn.cookies.get('__Host-session')}`;
    const change = (origin: string) =>
      ada.person.ask({
        method: 'PATCH',
        path: '/api/user/profile',
        body: {},
        headers: { cookie, origin, 'sec-fetch-site': 'same-site' },
      });

    expect([signedIn.status, (await login(EVIL)).status]).toEqual([200, 403]);
    expect([(await change(DASHBOARD)).status, (await change(EVIL)).status]).toEqual([200, 403]);
  });
});

test.each([
  ['a foreign origin', () => withDashboard, EVIL],
  ['a null origin', () => withDashboard, 'null'],
  ['an origin that starts with the dashboard’s', () => withDashboard, `${DASHBOARD}.evil.test`],
  ['the dashboard over http', () => withDashboard, DASHBOARD.replace('https', 'http')],
  ['the dashboard of another deployment', () => gateway, DASHBOARD],
  ['the gateway’s own origin, which needs no CORS', () => gateway, 'https://api.toolgate.test'],
])('%s gets no CORS headers under /api (rel:B6-6)', async (_who, target, origin) => {
  const preflighted = await ask(target(), '/api/user/profile', preflight(origin));
  const read = await ask(target(), '/api/user/profile', {
    headers: { origin, ...ada.bearer },
  });

  expect([preflighted.status, preflighted.cors]).toEqual([405, {}]);
  expect([read.status, read.cors]).toEqual([200, {}]);
});

test('a dashboard on its own origin reads the name of a file, and every other header that it needs (rel:B6-6)', async () => {
  const path = '/api/me/audit?format=csv';
  const file = await ask(withDashboard, path, { headers: { origin: DASHBOARD, ...ada.bearer } });

  expect(file.headers.get('content-disposition')).toContain('toolgate-audit.csv');
  expect(file.cors['access-control-expose-headers']).toBe(
    'Content-Disposition, ETag, Location, Preference-Applied, Retry-After, WWW-Authenticate, X-Request-Id',
  );
});

test('a request with two Origin headers gets no CORS headers (rel:B6-6)', async () => {
  const headers = new Headers([
    ['origin', DASHBOARD],
    ['origin', EVIL],
  ]);

  expect((await ask(withDashboard, '/api/auth/captcha', { headers })).cors).toEqual({});
});

test('discovery is readable from every origin, and never with credentials (rel:B6-6)', async () => {
  const path = '/.well-known/oauth-protected-resource/mcp';
  const read = await ask(withDashboard, path, { headers: { origin: EVIL } });
  const preflighted = await ask(withDashboard, path, preflight(EVIL, 'GET'));

  expect([read.status, read.cors]).toEqual([200, { 'access-control-allow-origin': '*' }]);
  expect(preflighted).toMatchObject({ status: 204, cors: { 'access-control-allow-origin': '*' } });
  expect(preflighted.cors).not.toHaveProperty('access-control-allow-credentials');
});

test('any page may call a public /mcp, never with cookies, unless MCP_ORIGINS lists others (rel:B3-1, B6-6)', async () => {
  const listed = await world.gateway({ env: { MCP_ORIGINS: `${DASHBOARD}, https://claude.ai` } });
  const call = (target: Gateway, origin: string) =>
    ask(target, '/mcp', { method: 'POST', headers: { origin } });

  for (const answer of [
    await ask(withDashboard, '/mcp', preflight(EVIL, 'POST')),
    await ask(listed, '/mcp', preflight('https://claude.ai', 'POST')),
  ]) {
    expect([answer.status, answer.cors['access-control-allow-origin']]).toEqual([
      204,
      expect.stringMatching(/^https:/),
    ]);
    expect(answer.cors).not.toHaveProperty('access-control-allow-credentials');
  }
  // The challenge is readable, so that a client in a browser can begin OAuth.
  const challenged = await call(withDashboard, 'https://claude.ai');
  expect([challenged.status, challenged.cors['access-control-expose-headers']]).toEqual([
    401,
    expect.stringContaining('WWW-Authenticate'),
  ]);
  const evil = await call(listed, EVIL);
  expect([evil.status, evil.cors]).toEqual([403, {}]);
});

describe('every response has security headers (rel:B6-7)', () => {
  test.each([
    '/api/user/profile',
    '/api/nothing',
    '/nothing',
    '/',
    '/verify',
    '/docs/api/',
    '/mcp',
    '/health',
  ])('%s', async (path) => {
    const { headers } = await ask(withDashboard, path);

    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(/frame-ancestors 'none'/),
      'strict-transport-security': 'max-age=31536000',
    });
  });

  test('pages run no scripts from other origins, and a deployment on http sends no HSTS', async () => {
    const { headers } = await ask(withDashboard, '/verify');
    const plain = await world.gateway({ env: { PUBLIC_URL: 'http://localhost:7070' } });

    expect(headers.get('content-security-policy')).toMatch(/script-src 'self';/);
    const reference = await ask(withDashboard, '/docs/api/');
    expect(reference.headers.get('content-security-policy')).toMatch(
      /script-src 'self' 'sha256-[\w+/]{43}=';/,
    );
    expect((await ask(plain, '/')).headers.get('strict-transport-security')).toBeNull();
  });
});
