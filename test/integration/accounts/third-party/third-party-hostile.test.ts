import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { JWTPayload } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Deviations } from '../../../support/people/openid-server.ts';
import { createThirdParty, isSessionCookie } from '../../../support/people/third-party.ts';
import { createVisitor } from '../../../support/people/visitor.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());
beforeEach(() => {
  party.provider.deviations = {};
  party.provider.person = { sub: randomUUID() };
});

const later = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const signed = (
  claims: JWTPayload,
  alg: string,
  key: Parameters<SignJWT['sign']>[0],
  kid?: string,
) => new SignJWT(claims).setProtectedHeader({ alg, ...(kid ? { kid } : {}) }).sign(key);
const claims = (change: Record<string, unknown>) => (all: JWTPayload) => ({ ...all, ...change });

describe('an ID token', () => {
  test.each<[string, Deviations]>([
    ['from another issuer', { claims: claims({ iss: 'https://accounts.example.org' }) }],
    ['for another client', { claims: claims({ aud: 'somebody else' }) }],
    [
      'for several clients, authorized for another',
      { claims: claims({ aud: ['toolgate', 'other'], azp: 'other' }) },
    ],
    ['with another nonce', { claims: claims({ nonce: 'of another sign-in' }) }],
    ['without a nonce', { claims: claims({ nonce: undefined }) }],
    ['that has expired', { claims: claims({ iat: later(-900), exp: later(-600) }) }],
    ['that is not yet valid', { claims: claims({ nbf: later(600) }) }],
    ['without an expiry', { claims: claims({ exp: undefined }) }],
    ['without a subject', { claims: claims({ sub: undefined }) }],
    ['without a signature', { idToken: (all) => new UnsecuredJWT(all).encode() }],
    [
      'signed with the client’s secret',
      { idToken: (all) => signed(all, 'HS256', Buffer.from('a secret of the client'.padEnd(32))) },
    ],
    ['signed by another key', { idToken: (all) => signed(all, 'RS256', rsa()) }],
    [
      'signed by another key with the same key id',
      { idToken: (all) => signed(all, 'RS256', rsa(), 'one') },
    ],
  ])('%s opens no session (identity 8)', async (_which, deviations) => {
    party.provider.deviations = deviations;

    const step = await party.visitor().signIn('oidc');

    await party.expectRefused(step, 'failed');
  });

  test.each([
    ['is a number', 5],
    ['has a NUL', 'a\u0000b'],
    ['is too long', 'x'.repeat(256)],
    ['is empty', ''],
  ])('whose subject %s opens no session', async (_what, sub) => {
    party.provider.deviations = { claims: (all) => ({ ...all, sub: sub as string }) };

    const step = await party.visitor().signIn('oidc');

    expect(step.location).toMatch(/#reason=(?:failed|provider_unavailable)$/);
    expect(step.setCookie.filter(isSessionCookie)).toEqual([]);
  });
});

describe('a provider that', () => {
  const discovery = '/.well-known/openid-configuration';
  const html: NonNullable<Deviations['answers']>[string] = (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  const truncated: typeof html = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_tok');
  const broken: typeof html = (response) => void response.writeHead(502).end('Bad gateway');
  const disconnected: typeof html = (response) => void response.destroy();
  const elsewhere: typeof html = (response) =>
    void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  const endless: typeof html = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(1_000_000));

  test.each([
    ['returns an HTML page', html],
    ['sends truncated JSON', truncated],
    ['responds 502', broken],
    ['closes the connection', disconnected],
    ['redirects', elsewhere],
    ['sends an overlong response', endless],
  ])('%s is reported as unavailable, and nothing is saved (identity 8)', async (_how, answer) => {
    const visitor = party.visitor();
    const callback = await visitor.signInAtProvider('oidc');
    party.provider.deviations = { answers: { '/token': answer } };

    await party.expectRefused(await visitor.go(callback), 'provider_unavailable');

    party.provider.deviations = { idToken: () => 'not.a.jwt' };
    await party.expectRefused(await party.visitor().signIn('oidc'), 'provider_unavailable');

    party.provider.deviations = { answers: { '/jwks': answer } };
    await party.expectRefused(await party.visitor().signIn('oidc'), 'provider_unavailable');

    // A gateway that has not cached the provider's metadata yet.
    const { url } = await party.world.gateway();
    party.provider.deviations = { answers: { [discovery]: answer } };
    const start = await createVisitor(url).go('/api/auth/oauth/oidc');
    expect(start.location).toMatch(/\/sign-in\/refused#reason=provider_unavailable$/);
    expect(start.setCookie).toEqual([]);
    party.provider.deviations = {};
    const again = await createVisitor(url).go('/api/auth/oauth/oidc');
    expect(again.location).toContain(`${party.provider.issuer}/authorize?`);
  });

  test('does not respond is reported as unavailable within seconds', async () => {
    const visitor = party.visitor();
    const callback = await visitor.signInAtProvider('oidc');
    party.provider.deviations = { answers: { '/token': () => {} } };

    await party.expectRefused(await visitor.go(callback), 'provider_unavailable');
  });

  test('announces another issuer is refused', async () => {
    const { url } = await party.world.gateway();
    party.provider.deviations = {
      answers: {
        [discovery]: (response) =>
          void response.writeHead(200, { 'content-type': 'application/json' }).end(
            JSON.stringify({
              issuer: 'https://accounts.google.com',
              authorization_endpoint: 'https://evil.example/',
            }),
          ),
      },
    };

    const { location } = await createVisitor(url).go('/api/auth/oauth/oidc');

    expect(location).toMatch(/#reason=(?:failed|provider_unavailable)$/);
  });
});
