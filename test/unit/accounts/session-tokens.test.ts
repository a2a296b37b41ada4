import { createSecretKey, randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createAccessTokens, createRefreshTokens } from '../../../src/accounts/sessions/tokens.ts';

const key = randomBytes(32);
const base = 'https://tools.example.com';
const tokens = createAccessTokens([key], base);
const session = {
  id: '0190a000-0000-7000-8000-000000000001',
  account_id: '0190a000-0000-7000-8000-000000000002',
};

interface Forgery {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  key?: Uint8Array;
}

const forge = ({ header, claims, key: other }: Forgery) =>
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
  test('contains session, account and an expiry fifteen minutes after database time', async () => {
    const token = await tokens.sign(session, 1_000_000);

    expect(await tokens.read(token)).toEqual({
      account_id: session.account_id,
      session_id: session.id,
      expires: 1_000_900,
    });
  });

  test('is accepted regardless of the local clock: its expiry is compared with database time', async () => {
    expect(await tokens.read(await forge({}))).toMatchObject({ expires: 901 });
  });

  test.each<[string, Forgery]>([
    ['another key', { key: randomBytes(32) }],
    ['another type', { header: { typ: 'at+jwt' } }],
    ['no type', { header: { typ: undefined } }],
    ['another algorithm', { header: { alg: 'HS512' }, key: createSecretKey(key).export() }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['the audience of /mcp', { claims: { aud: `${base}/mcp` } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['no session', { claims: { sid: undefined } }],
    ['a session that is not an id', { claims: { sid: '1 OR 1=1' } }],
    ['a subject that is not an id', { claims: { sub: 'ada' } }],
  ])('with %s is rejected', async (_what, forged) => {
    expect(await tokens.read(await forge(forged))).toBeNull();
  });

  test('without a signature is rejected, and so is text that is not a token', async () => {
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

test('an access token signed with a fallback key is accepted, and new ones are signed with the current key', async () => {
  const other = randomBytes(32);
  const rotated = createAccessTokens([other, key], base);

  expect(await rotated.read(await tokens.sign(session, 1))).toMatchObject({ expires: 901 });
  expect(await tokens.read(await rotated.sign(session, 1))).toBeNull();
  expect(await createAccessTokens([other], base).read(await rotated.sign(session, 1))).toEqual(
    await rotated.read(await rotated.sign(session, 1)),
  );
});

describe('a refresh token', () => {
  const { write, read } = createRefreshTokens([key]);
  const token = { session_id: session.id, rotation: 7 };
  const text = write(token);
  const [, , signature] = text.split('.');

  test('reads back as written, and every instance writes the same one (rel:B6-8)', () => {
    expect(read(text)).toEqual(token);
    expect(createRefreshTokens([key]).write(token)).toBe(text);
    expect(signature).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test('signed with a fallback key is accepted, and new ones are signed with the current key', () => {
    const other = randomBytes(32);
    const rotated = createRefreshTokens([other, key]);

    expect(rotated.read(text)).toEqual(token);
    expect(rotated.write(token)).toBe(createRefreshTokens([other]).write(token));
    expect(rotated.write(token)).not.toBe(text);
  });

  test('cannot be forged without the key: a signature is valid for one rotation of one session', () => {
    const other = session.account_id;
    expect(createRefreshTokens([randomBytes(32)]).read(text)).toBeNull();
    expect(read(`${session.id}.8.${signature}`)).toBeNull();
    expect(read(`${other}.7.${signature}`)).toBeNull();
    expect(write({ ...token, rotation: 8 })).not.toContain(signature);
  });

  test.each([
    undefined,
    '',
    session.id,
    `${session.id}.7`,
    `${session.id}.7.`,
    `.7.${signature}`,
    `${text}.${signature}`,
    `${text}x`,
    `${text}=`,
    `${session.id}.07.${signature}`,
    `${session.id}.7.0.${signature}`,
    `${session.id}.7e0.${signature}`,
    `${session.id.toUpperCase()}.7.${signature}`,
    `{${session.id}}.7.${signature}`,
  ])('%j is rejected', (other) => {
    expect(read(other)).toBeNull();
  });
});
