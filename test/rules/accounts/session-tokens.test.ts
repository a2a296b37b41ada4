import { createSecretKey, randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  createAccessTokens,
  readRefreshToken,
  successorOf,
  writeRefreshToken,
} from '../../../src/accounts/sessions/tokens.ts';

const key = randomBytes(32);
const base = 'https://tools.example.com';
const tokens = createAccessTokens(key, base);
const session = {
  id: '0190a000-0000-7000-8000-000000000001',
  account_id: '0190a000-0000-7000-8000-000000000002',
};

interface Forged {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  key?: Uint8Array;
}

const forge = ({ header, claims, key: other }: Forged) =>
  new SignJWT({
    iss: base,
    aud: `${base}/api`,
    sub: session.account_id,
    sid: session.id,
    iat: 1,
    exp: 901,
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'dash+jwt', ...header })
    .sign(other ?? key);

describe('an access token', () => {
  test('says session, account and an end fifteen minutes after database time', async () => {
    const token = await tokens.sign(session, 1_000_000);

    expect(await tokens.read(token)).toEqual({
      account_id: session.account_id,
      session_id: session.id,
      expires: 1_000_900,
    });
  });

  test('is read whatever this clock says: its end is compared with database time', async () => {
    expect(await tokens.read(await forge({}))).toMatchObject({ expires: 901 });
  });

  test.each<[string, Forged]>([
    ['another key', { key: randomBytes(32) }],
    ['another type', { header: { typ: 'at+jwt' } }],
    ['no type', { header: { typ: undefined } }],
    ['another algorithm', { header: { alg: 'HS512' }, key: createSecretKey(key).export() }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['the audience of /mcp', { claims: { aud: `${base}/mcp` } }],
    ['no end', { claims: { exp: undefined } }],
    ['no session', { claims: { sid: undefined } }],
    ['a session that is no id', { claims: { sid: '1 OR 1=1' } }],
    ['a subject that is no id', { claims: { sub: 'ada' } }],
  ])('with %s is none', async (_what, forged) => {
    expect(await tokens.read(await forge(forged))).toBeNull();
  });

  test('without a signature, or no token at all, is none', async () => {
    const unsigned = new UnsecuredJWT({ sid: session.id })
      .setIssuer(base)
      .setAudience(`${base}/api`)
      .setSubject(session.account_id)
      .setIssuedAt()
      .setExpirationTime('15m')
      .encode();

    for (const token of [unsigned, '', 'a.b.c', 'x'.repeat(8_000)])
      expect(await tokens.read(token)).toBeNull();
  });
});

describe('a refresh token', () => {
  const secret = randomBytes(32).toString('base64url');

  test('has one successor, which needs the key to be known (rel:B6-8)', () => {
    const next = successorOf(key, secret);

    expect(successorOf(key, secret)).toBe(next);
    expect(next).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(successorOf(key, next)).not.toBe(next);
    expect(successorOf(randomBytes(32), secret)).not.toBe(next);
  });

  test('is read as it was written', () => {
    const token = { session_id: session.id, secret };

    expect(readRefreshToken(writeRefreshToken(token))).toEqual(token);
  });

  test.each([
    undefined,
    '',
    session.id,
    `${session.id}.`,
    `.${secret}`,
    `${session.id}.${secret}.${secret}`,
    `${session.id}.${secret}x`,
    `{${session.id}}.${secret}`,
  ])('%j is none', (token) => {
    expect(readRefreshToken(token)).toBeNull();
  });
});
