import { createHash, randomBytes } from 'node:crypto';
import type { Challenge } from 'altcha-lib/types';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import { describe, expect, test } from 'vitest';
import { createAltcha } from '../../../src/accounts/captcha/altcha.ts';
import type { Difficulty } from '../../../src/accounts/captcha/altcha.ts';
import { createHostedCaptcha } from '../../../src/accounts/captcha/hosted.ts';
import { HostedProvider } from '../../../src/accounts/captcha/schema.ts';
import type { OutboundRequest } from '../../../src/platform/outbound/outbound.ts';
import { OutboundError } from '../../../src/platform/outbound/outbound-error.ts';

const easy: Difficulty = { algorithm: 'SHA-256', cost: 1, counter: [50, 200] };
const key = randomBytes(32);
const captcha = createAltcha([key], easy);
const now = new Date('2026-01-01T12:00:00Z');

async function solve(from = captcha) {
  const { parameters, signature } = (await from.challenge(now)) as unknown as Challenge;
  const challenge: Challenge = { parameters, signature: signature! };
  const solution = await solveChallenge({ challenge, deriveKey });
  return { challenge, solution: solution! };
}
const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64');
const outcome = async (token: string) => (await captcha.verify(token, '127.0.0.1')).outcome;

describe('an ALTCHA token (rel:B4-4)', () => {
  test('passes when the challenge was solved', async () => {
    expect(await outcome(encode(await solve()))).toBe('ok');
  });

  test('has the hash and expiry of its challenge in any encoding, and expires after ten minutes', async () => {
    const { challenge, solution } = await solve();

    const one = captcha.read(encode({ challenge, solution }));
    const other = captcha.read(encode({ took: 7, solution, challenge }));

    expect(one).toEqual(other);
    expect(one).toEqual({
      hash: createHash('sha256').update(challenge.signature!).digest(),
      expires_at: '2026-01-01T12:10:00.000Z',
    });
  });

  test("comes from a challenge that names its provider next to the widget's fields", async () => {
    expect(await captcha.challenge(now)).toEqual({
      provider: 'altcha',
      parameters: expect.objectContaining({ algorithm: 'SHA-256' }),
      signature: expect.any(String),
    });
  });

  test('has its expiry in signed data, not in a field checked against the process clock (rel:F-C1)', async () => {
    const { parameters } = (await solve()).challenge;

    expect(parameters).not.toHaveProperty('expiresAt');
    expect(parameters.data).toEqual({ expires: now.getTime() / 1_000 + 600 });
  });

  test('signed by another service is invalid', async () => {
    expect(await outcome(encode(await solve(createAltcha([randomBytes(32)], easy))))).toBe(
      'invalid',
    );
  });

  test('signed with a fallback key passes, and new challenges are signed with the current key', async () => {
    const other = randomBytes(32);
    const rotated = createAltcha([other, key], easy);
    const verdict = async (verifier: typeof captcha, issuer: typeof captcha) =>
      (await verifier.verify(encode(await solve(issuer)), '127.0.0.1')).outcome;

    expect(await verdict(rotated, captcha)).toBe('ok');
    expect(await verdict(createAltcha([other], easy), rotated)).toBe('ok');
    expect(await verdict(captcha, rotated)).toBe('invalid');
  });

  test('is invalid when the challenge was made easier or its expiry changed', async () => {
    const { challenge, solution } = await solve();
    const withChange = (change: object) =>
      encode({
        challenge: { ...challenge, parameters: { ...challenge.parameters, ...change } },
        solution,
      });

    expect(await outcome(withChange({ keyPrefix: '00' }))).toBe('invalid');
    expect(await outcome(withChange({ data: { expires: 4_000_000_000 } }))).toBe('invalid');
    expect(await outcome(withChange({ data: undefined }))).toBe('invalid');
    expect(await outcome(withChange({ keySignature: undefined }))).toBe('invalid');
  });

  test('is invalid when the solution was guessed', async () => {
    const { challenge } = await solve();
    const derivedKey = `${challenge.parameters.keyPrefix}${'0'.repeat(32)}`;

    expect(await outcome(encode({ challenge, solution: { counter: 1, derivedKey } }))).toBe(
      'invalid',
    );
  });

  test('with an expiry that is not a valid timestamp is rejected', async () => {
    const { challenge, solution } = await solve();
    for (const expires of [-1, 1.5, 4_000_000_001, 1e300]) {
      const parameters = { ...challenge.parameters, data: { expires } };
      expect(
        captcha.read(encode({ challenge: { ...challenge, parameters }, solution })),
      ).toBeNull();
    }
  });

  test.each([
    'x',
    '!!!',
    'e30=',
    'bnVsbA==',
    encode([]),
    encode({ challenge: 5 }),
    'A'.repeat(5_000),
  ])('that is malformed is rejected: %.20s', async (token) => {
    expect(captcha.read(token)).toBeNull();
    expect(await outcome(token)).toBe('invalid');
  });
});

describe.each(HostedProvider.options)('a token from %s (rel:B4-4)', (provider) => {
  const createHosted = (answer: (request: OutboundRequest) => { status?: number; body?: string }) =>
    createHostedCaptcha({
      provider,
      site_key: 'site',
      secret: 'hush',
      verify_url: undefined,
      hostname: 'gate.example',
      outbound: {
        async fetch(request) {
          const { status = 200, body = '' } = answer(request);
          return { status, headers: {}, body: Buffer.from(body), url: request.url };
        },
      },
    });
  const outcomeFor = async (answer: unknown) =>
    (await createHosted(() => ({ body: JSON.stringify(answer) })).verify('token', '192.0.2.1'))
      .outcome;

  test('is verified by one form POST to the provider with a timeout of three seconds', async () => {
    const requests: OutboundRequest[] = [];
    const one = createHosted((request) => {
      requests.push(request);
      return { body: '{"success":true}' };
    });

    expect(await one.verify('to ken&', '192.0.2.1')).toEqual({ outcome: 'ok' });
    expect(requests).toEqual([
      expect.objectContaining({
        url: expect.stringMatching(/^https:\/\/[\w.]+\/[\w./]*siteverify$/),
        method: 'POST',
        timeoutMs: 3_000,
      }),
    ]);
    expect(Object.fromEntries(new URLSearchParams(String(requests[0]!.body)))).toEqual({
      secret: 'hush',
      response: 'to ken&',
      remoteip: '192.0.2.1',
      ...(provider === 'hcaptcha' ? { sitekey: 'site' } : {}),
    });
  });

  test.each([
    [{ success: true }, 'ok'],
    [{ success: true, hostname: 'gate.example', action: 'account', score: 0.5 }, 'ok'],
    [{ success: true, hostname: 'not-provided', action: '', 'error-codes': null }, 'ok'],
    [{ success: true, hostname: 'evil.example' }, 'invalid'],
    [{ success: true, hostname: 'x.gate.example' }, 'invalid'],
    [{ success: true, action: 'contact' }, 'invalid'],
    [{ success: true, score: 0.49 }, 'invalid'],
    [{ success: true, apk_package_name: 'com.example' }, 'invalid'],
    [{ success: false }, 'invalid'],
    [{ success: false, 'error-codes': ['invalid-input-response'] }, 'invalid'],
    [{ success: false, 'error-codes': ['timeout-or-duplicate'] }, 'invalid'],
    [{ success: false, 'error-codes': ['invalid-input-secret'] }, 'unavailable'],
    [{ success: false, 'error-codes': ['sitekey-secret-mismatch'] }, 'unavailable'],
    [{ success: false, 'error-codes': ['internal-error'] }, 'unavailable'],
    [{ success: 'true' }, 'unavailable'],
    [{}, 'unavailable'],
    [null, 'unavailable'],
  ])('with the provider response %j is %s', async (answer, expected) => {
    expect(await outcomeFor(answer)).toBe(expected);
  });

  test.each([{ status: 500 }, { status: 200, body: '<html>' }, { status: 200 }, { status: 404 }])(
    'cannot be verified when the provider responds %j (rel:F-S2)',
    async (answer) => {
      expect((await createHosted(() => answer).verify('token', '')).outcome).toBe('unavailable');
    },
  );

  test.each(['timeout', 'unreachable', 'too_large', 'redirect_refused'] as const)(
    'cannot be verified when the request fails with %s (rel:F-S2)',
    async (code) => {
      const one = createHosted(() => {
        throw new OutboundError(code, 'no');
      });

      expect((await one.verify('token', '')).outcome).toBe('unavailable');
    },
  );

  test('is identified by a hash that includes the provider; malformed text is rejected', () => {
    const one = createHosted(() => ({}));

    expect(one.read('token')).toEqual({
      hash: createHash('sha256').update(`${provider} token`).digest(),
      expires_at: null,
    });
    for (const malformed of ['a b', 'ä', '\n', 'x'.repeat(8_193)])
      expect(one.read(malformed)).toBeNull();
  });
});
