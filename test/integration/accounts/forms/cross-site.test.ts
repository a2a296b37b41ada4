import { describe, expect, test } from 'vitest';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const own = oneAddress.PUBLIC_URL;

const { world, gateway } = await useGateway(oneAddress);
const ada = await signUp(world, gateway);

type Action = [name: string, method: string, path: string, body: () => unknown];

/** Requests that a browser makes with the dashboard's cookies, or to obtain them. */
const actions: Action[] = [
  ['signing in', 'POST', '/api/auth/login', () => ({ email: ada.email, password: ada.password })],
  ['renewing the session', 'POST', '/api/auth/refresh', () => undefined],
  ['signing out', 'POST', '/api/auth/logout', () => undefined],
  ['signing out everywhere', 'DELETE', '/api/auth/sessions', () => undefined],
  [
    'changing the password',
    'POST',
    '/api/user/password',
    () => ({ current_password: ada.password, password: 'quartz meadow tunnel 19' }),
  ],
];
const cookie = () => `session=${ada.cookies.get('session')}; refresh=${ada.cookies.get('refresh')}`;
const send = ([, method, path, body]: Action, headers: Record<string, string>) =>
  ada.person.ask<{ errors: { code: string }[] }>({
    method,
    path,
    body: body(),
    headers: { cookie: cookie(), ...headers },
  });

const foreign: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://localhost' },
  { referer: 'https://evil.example/page' },
  { referer: 'no address' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  // No browser sends both, so the request does not come from one of our pages.
  { origin: own, 'sec-fetch-site': 'cross-site' },
  { referer: `${own}/sign-in`, 'sec-fetch-site': 'cross-site' },
];

describe.each(actions)('%s', (...what) => {
  test.each(foreign)(
    'from %j is refused with 403 and changes nothing (rel:B6-1)',
    async (headers) => {
      const answer = await send(what, headers);

      expect([answer.status, answer.body.errors[0]!.code]).toEqual([403, 'cross_site_request']);
      expect(answer.cookies.size).toBe(0);
      const profile = { path: '/api/user/profile', headers: { cookie: cookie() } };
      expect((await ada.person.ask(profile)).status).toBe(200);
    },
  );
});

test('sign-in and refresh from our own page, or from a client other than a browser, are accepted', async () => {
  const accepted: Record<string, string>[] = [
    {},
    { origin: own },
    { referer: `${own}/sign-in` },
    { 'sec-fetch-site': 'same-origin' },
    { origin: own, 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of accepted)
    for (const what of actions.slice(0, 2)) {
      const answer = await send(what, headers);

      expect([what[0], headers, answer.status]).toEqual([what[0], headers, 200]);
      for (const [name, value] of answer.cookies) ada.cookies.set(name, value);
    }
});

test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
  'a form of type %s, which a foreign page may send, is refused with 415 everywhere (rel:B6-2)',
  async (type) => {
    for (const [, method, path] of actions) {
      const response = await fetch(`${gateway.url}${path}`, {
        method,
        headers: { cookie: cookie(), 'content-type': type, origin: own },
        body: 'email=a&password=b',
      });

      expect([path, response.status]).toEqual([path, 415]);
    }
    const profile = { path: '/api/user/profile', headers: { cookie: cookie() } };
    expect((await ada.person.ask(profile)).status).toBe(200);
  },
);

test('a GET changes nothing: 405, or the list of sessions (rel:B6-3)', async () => {
  const statuses = [];
  for (const [, , path] of actions)
    statuses.push((await ada.person.ask({ path, headers: { cookie: cookie() } })).status);

  expect(statuses).toEqual([405, 405, 405, 200, 405]);
  const profile = { path: '/api/user/profile', headers: { cookie: cookie() } };
  expect((await ada.person.ask(profile)).status).toBe(200);
});
