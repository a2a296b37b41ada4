import { createHash, randomBytes } from 'node:crypto';
import type { Challenge } from 'altcha-lib/types';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import { describe, expect, test } from 'vitest';
import { createAltcha } from '../../../src/accounts/captcha.ts';
import type { Difficulty } from '../../../src/accounts/captcha.ts';

const easy: Difficulty = { algorithm: 'SHA-256', cost: 1, counter: [50, 200] };
const key = randomBytes(32);
const captcha = createAltcha(key, easy);

async function solve(from = captcha) {
  const challenge = (await from.challenge()) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  return { challenge, solution: solution! };
}
const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64');
const outcome = async (token: string) => (await captcha.verify(token, '127.0.0.1')).outcome;

describe('a captcha token (rel:B4-4)', () => {
  test('passes when the challenge was solved', async () => {
    expect(await outcome(encode(await solve()))).toBe('ok');
  });

  test('stands for its challenge, however it is written', async () => {
    const { challenge, solution } = await solve();

    const one = await captcha.verify(encode({ challenge, solution }), '');
    const other = await captcha.verify(encode({ took: 7, solution, challenge }), '');

    expect(one).toEqual(other);
    expect(one).toMatchObject({
      outcome: 'ok',
      proof: { hash: createHash('sha256').update(challenge.signature!).digest() },
    });
  });

  test('of another service is invalid', async () => {
    expect(await outcome(encode(await solve(createAltcha(randomBytes(32), easy))))).toBe('invalid');
  });

  test('is invalid when the challenge was made easier or younger', async () => {
    const { challenge, solution } = await solve();
    const changed = (change: object) =>
      encode({
        challenge: { ...challenge, parameters: { ...challenge.parameters, ...change } },
        solution,
      });

    expect(await outcome(changed({ keyPrefix: '00' }))).toBe('invalid');
    expect(await outcome(changed({ expiresAt: 4_000_000_000 }))).toBe('invalid');
    expect(await outcome(changed({ keySignature: undefined }))).toBe('invalid');
  });

  test('is invalid when the solution was guessed', async () => {
    const { challenge } = await solve();
    const derivedKey = `${challenge.parameters.keyPrefix}${'0'.repeat(32)}`;

    expect(await outcome(encode({ challenge, solution: { counter: 1, derivedKey } }))).toBe(
      'invalid',
    );
  });

  test.each([
    'x',
    '!!!',
    'e30=',
    'bnVsbA==',
    encode([]),
    encode({ challenge: 5 }),
    'A'.repeat(5_000),
  ])('is invalid as garbage: %.20s', async (token) => {
    expect(await outcome(token)).toBe('invalid');
  });
});
