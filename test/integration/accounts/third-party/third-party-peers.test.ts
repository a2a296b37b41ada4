import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../support/servers/free-port.ts';
import { createGithubServer } from '../../../support/people/github-server.ts';
import type { GithubServer } from '../../../support/people/github-server.ts';
import { createOidcPeer } from '../../../support/people/oidc-peer.ts';
import { newEmail, ownAddresses } from '../../../support/people/people.ts';
import { profileOf } from '../../../support/people/third-party.ts';
import { createVisitor } from '../../../support/people/visitor.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const github = await closeAfterTests(createGithubServer());
const port = await freePort();
const publicUrl = `http://localhost:${port}`;
const peer = await closeAfterTests(createOidcPeer(`${publicUrl}/api/auth/oauth/oidc/callback`));
const { world, gateway } = await useGateway({
  ...ownAddresses,
  ...github.env,
  ...peer.env,
  PORT: String(port),
  PUBLIC_URL: publicUrl,
});

const newVisitor = () => createVisitor(gateway.url);
const refused = (reason: string) => `${gateway.config.PUBLIC_URL}/sign-in/refused#reason=${reason}`;

describe('oidc-provider', () => {
  test('signs in a person whose address comes from userinfo', async () => {
    const login = randomUUID();
    const email = newEmail();
    peer.people.set(login, { email, email_verified: true, given_name: 'Ada', locale: 'it' });
    const visitor = newVisitor();

    const start = await visitor.go('/api/auth/oauth/oidc?return_path=/keys');
    const step = await visitor.go(await peer.signIn(start.location, login));

    expect(step.location).toBe(`${gateway.config.DASHBOARD_URL}/keys`);
    expect((await profileOf(visitor)).body).toMatchObject({
      email,
      first_name: 'Ada',
      last_name: null,
      locale: 'it',
    });
  });

  test('does not issue a second token for one code', async () => {
    const login = randomUUID();
    peer.people.set(login, {});
    const visitor = newVisitor();
    const start = await visitor.go('/api/auth/oauth/oidc');
    const used = new URL(await peer.signIn(start.location, login));
    await visitor.go(used.href);
    const again = newVisitor();
    const second = await again.go('/api/auth/oauth/oidc');
    const callback = new URL(await peer.signIn(second.location, login));
    callback.searchParams.set('code', used.searchParams.get('code')!);

    const step = await again.go(callback.href);

    expect(step.location).toBe(refused('failed'));
  });
});

describe('GitHub', () => {
  const ada = (
    emails: GithubServer['person']['emails'],
    name: string | null = 'Ada Augusta King',
  ) => ({
    id: Math.floor(Math.random() * 1e9),
    name,
    emails,
  });

  test('signs in by its numeric id, with the primary verified address and both names', async () => {
    const email = newEmail();
    const other = newEmail();
    github.person = ada([
      { email: other, primary: false, verified: true },
      { email, primary: true, verified: true },
    ]);
    const [first, again] = [newVisitor(), newVisitor()];

    const step = await first.signIn('github');
    github.person = { ...github.person, name: 'Countess', emails: [] };
    await again.signIn('github');

    expect(step.location).toBe(`${gateway.config.DASHBOARD_URL}/`);
    const { body } = await profileOf(first);
    expect(body).toMatchObject({ email, first_name: 'Ada', last_name: 'Augusta King' });
    expect((await profileOf(again)).body).toEqual(body);
    const rows = await world.query(
      'SELECT issuer, subject FROM account_identity WHERE account_id = $1',
      [body.id],
    );
    expect(rows).toEqual([
      { issuer: `${github.url}/login/oauth`, subject: String(github.person.id) },
    ]);
  });

  test.each([
    ['primary but not verified', [{ primary: true, verified: false }]],
    ['verified but not primary', [{ primary: false, verified: true }]],
    ['missing', []],
  ])(
    'creates an account without an address if the address is %s (identity 8)',
    async (_how, emails) => {
      github.person = ada(
        emails.map((one) => ({ email: newEmail(), ...one })),
        null,
      );
      const visitor = newVisitor();

      await visitor.signIn('github');

      expect((await profileOf(visitor)).body).toMatchObject({ email: null, first_name: null });
    },
  );

  test.each([
    ['/login/oauth/access_token', 502, 'provider_unavailable'],
    ['/api/v3/user', 500, 'provider_unavailable'],
    ['/api/v3/user', 401, 'failed'],
    ['/api/v3/user/emails', 403, 'provider_unavailable'],
  ])('opens no session if its %s responds %i', async (path, status, reason) => {
    github.person = ada([{ email: newEmail(), primary: true, verified: true }]);
    const challenge = status === 401 ? { 'www-authenticate': 'Bearer error="invalid_token"' } : {};
    github.answers = {
      [path]: (response) =>
        void response
          .writeHead(status, { 'content-type': 'application/json', ...challenge })
          .end('{}'),
    };

    const visitor = newVisitor();
    const step = await visitor.signIn('github');

    github.answers = {};
    expect(step.location).toBe(refused(reason));
    expect(visitor.jar.size).toBe(0);
  });

  test('opens no session with a code stolen from another browser (PKCE)', async () => {
    github.person = ada([{ email: newEmail(), primary: true, verified: true }]);
    const thief = newVisitor();
    const stolen = new URL(await newVisitor().signInAtProvider('github')).searchParams.get('code')!;
    const callback = new URL(await thief.signInAtProvider('github'));
    callback.searchParams.set('code', stolen);

    const step = await thief.go(callback.href);

    expect(step.location).toBe(refused('failed'));
  });
});
