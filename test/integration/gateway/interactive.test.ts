import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isInteractive } from '../../../src/caller/access.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { createKey, createPerson, ownAddresses, signUp } from '../../support/people/people.ts';
import type { Answer } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway);
const permissions = ['can_view_tools', 'can_update_settings'];
const key = await createKey(ada, {
  grants: [{ scope: { type: 'personal' }, permissions }],
});
const routes: { method: string; path: string; forSessions: boolean }[] = await readRoutes();

/** Returns every route, with unknown ids, and whether only a session may call it. */
async function readRoutes() {
  return (await declaredRoutes()).map(({ method, path, access }) => ({
    method,
    path: path.replaceAll(/\{\w+\}/g, randomUUID()),
    forSessions: isInteractive(access),
  }));
}

type Refused = Answer<{ errors?: { code: string }[] }>;

/** Calls every interactive route with a body that a later check would refuse. */
async function askAll(headers: Record<string, string>) {
  const interactive = routes.filter(({ forSessions }) => forSessions);
  const answers = await Promise.all(
    interactive.map(async ({ method, path }): Promise<[string, Refused]> => {
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const answer = await fetch(gateway.url + path, {
        method,
        headers: { 'x-forwarded-for': '10.1.2.3', 'content-type': 'text/plain', ...headers },
        ...(hasBody ? { body: '{"name":' } : {}),
      });
      // A stream of events has no end.
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
      if (isStream === true) await answer.body?.cancel();
      const body = (isStream === true ? {} : await answer.json()) as Refused['body'];
      return [
        `${method} ${path}`,
        { status: answer.status, body, headers: answer.headers, cookies: new Map() },
      ];
    }),
  );
  expect(answers.length).toBeGreaterThan(8);
  return answers.map(([route, { status, body }]) => [route, status, body.errors?.[0]?.code]);
}

const everyRoute = (status: number, code: string) =>
  routes
    .filter(({ forSessions }) => forSessions)
    .map(({ method, path }) => [`${method} ${path}`, status, code]);

const readLastUses = () => world.query('SELECT id, last_used_at FROM api_key');
const cookieOf = () =>
  `session=${ada.cookies.get('session')}; refresh=${ada.cookies.get('refresh')}`;

test('endpoints that must require a session require one', () => {
  const found = routes
    .filter(({ forSessions }) => forSessions)
    .map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')}`);

  expect(found).toEqual(
    expect.arrayContaining([
      'GET /api/keys',
      'GET /api/keys/{id}',
      'POST /api/keys',
      'DELETE /api/keys/{id}',
      'POST /api/auth/logout',
      'PATCH /api/user/profile',
      'GET /api/me/audit',
    ]),
  );
});

test.each([
  ['a valid key', () => ({ 'x-api-key': key.secret })],
  ['an unknown key', () => ({ 'x-api-key': `sk_${randomUUID()}` })],
  ['a malformed key', () => ({ 'x-api-key': 'x' })],
  ['an access token in the wrong header', () => ({ 'x-api-key': ada.access_token })],
  ['a valid key with a session', () => ({ 'x-api-key': key.secret, ...ada.bearer })],
  ['a wrong key with a session', () => ({ 'x-api-key': 'sk_x', ...ada.bearer })],
  ['a valid key with cookies', () => ({ 'x-api-key': key.secret, cookie: cookieOf() })],
  [
    'a key with an invalid bearer token',
    () => ({ 'x-api-key': key.secret, authorization: 'Bearer x' }),
  ],
  [
    'a key from a foreign page',
    () => ({ 'x-api-key': key.secret, cookie: cookieOf(), origin: 'https://evil.test' }),
  ],
])(
  '%s gets a 403 on every interactive route, and no key is looked up (rel:B1-12)',
  async (_what, headers) => {
    const before = await readLastUses();

    expect(await askAll(headers())).toEqual(everyRoute(403, 'interactive_only'));
    expect(await readLastUses()).toEqual(before);
  },
);

test('an invalid bearer token gets a 401 on every interactive route (rel:B1-13)', async () => {
  for (const token of ['x', `${ada.access_token}x`, key.secret])
    expect(await askAll({ authorization: `Bearer ${token}` })).toEqual(
      everyRoute(401, 'invalid_credential'),
    );
});

test('a request without a credential gets a 401 on every interactive route', async () => {
  expect(await askAll({})).toEqual(everyRoute(401, 'authentication_required'));
});

test('a cookie sent by a foreign page changes nothing, and errors in the body are not reported (rel:B6-1)', async () => {
  const unsafe = routes.filter(({ method, forSessions }) => forSessions && method !== 'GET');
  const headers = { cookie: cookieOf(), origin: 'https://evil.test' };
  const answers = await askAll(headers);
  const changing = new Set(unsafe.map(({ method, path }) => `${method} ${path}`));

  expect(answers.filter(([route]) => changing.has(route as string))).toEqual(
    unsafe.map(({ method, path }) => [`${method} ${path}`, 403, 'cross_site_request']),
  );
  expect(
    (await createPerson(gateway.url).ask({ path: '/api/user/profile', headers: ada.bearer }))
      .status,
  ).toBe(200);
});
