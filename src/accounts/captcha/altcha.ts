import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey as derivePbkdf2 } from 'altcha-lib/algorithms/pbkdf2';
import { deriveKey as deriveSha } from 'altcha-lib/algorithms/sha';
import { z } from 'zod';
import { hashSecret } from '../../platform/secrets.ts';
import type { Subkeys } from '../../platform/secrets.ts';
import type { Captcha } from './captcha.ts';

export interface Difficulty {
  algorithm: 'PBKDF2/SHA-256' | 'SHA-256';
  cost: number;
  counter: readonly [low: number, high: number];
}

/** About 0.65 s on one thread to solve; 0.5 ms to verify. */
const standardDifficulty: Difficulty = {
  algorithm: 'PBKDF2/SHA-256',
  cost: 1_000,
  counter: [1_000, 3_000],
};

const LIFETIME_SECONDS = 600;
const MAX_TOKEN_LENGTH = 4_096;
// The year 2096: limits an expiry that is not verified yet to what every date type can hold.
const LAST_SECOND = 4_000_000_000;
const derive = { 'PBKDF2/SHA-256': derivePbkdf2, 'SHA-256': deriveSha };

const Payload = z.object({
  challenge: z.object({
    parameters: z.looseObject({
      algorithm: z.string(),
      nonce: z.string(),
      salt: z.string(),
      cost: z.number(),
      keyLength: z.number(),
      keyPrefix: z.string(),
      keySignature: z.string(),
      data: z.object({ expires: z.int().min(0).max(LAST_SECOND) }),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

/** Creates an ALTCHA captcha: proof of work by the client, without a puzzle or a third party. */
export function createAltcha(keys: Subkeys, difficulty: Difficulty = standardDifficulty): Captcha {
  const deriveKey = derive[difficulty.algorithm];
  const [low, high] = difficulty.counter;
  return {
    isHosted: false,
    async challenge(now) {
      const { parameters, signature } = await createChallenge({
        algorithm: difficulty.algorithm,
        cost: difficulty.cost,
        counter: randomInt(high, low),
        // Not `expiresAt`, which the library compares with the clock of this process.
        data: { expires: Math.floor(now.getTime() / 1_000) + LIFETIME_SECONDS },
        deriveKey,
        ...secretsOf(keys[0]),
      });
      return { provider: 'altcha', parameters: { ...parameters }, signature: signature! };
    },
    read(token) {
      const payload = readPayload(token);
      if (payload === null) return null;
      // Hashes the challenge's signature, not the token: a token can be encoded in many ways.
      const { signature, parameters } = payload.challenge;
      const expires_at = new Date(parameters.data.expires * 1_000).toISOString();
      return { hash: hashSecret(signature), expires_at };
    },
    async verify(token) {
      const payload = readPayload(token);
      if (payload === null) return { outcome: 'invalid' };
      for (const key of keys) {
        const solution = { ...payload, deriveKey, ...secretsOf(key) };
        if ((await verifySolution(solution)).verified) return { outcome: 'ok' };
      }
      return { outcome: 'invalid' };
    },
  };
}

/** Returns a key's secrets in the form that the library expects. */
const secretsOf = (key: Buffer) => ({
  hmacSignatureSecret: key.toString('hex'),
  hmacKeySignatureSecret: hashSecret(`captcha key ${key.toString('hex')}`).toString('hex'),
});

function readPayload(token: string): z.infer<typeof Payload> | null {
  if (token.length > MAX_TOKEN_LENGTH || !/^[A-Za-z0-9+/]+={0,2}$/.test(token)) return null;
  try {
    const parsed = Payload.safeParse(JSON.parse(Buffer.from(token, 'base64').toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
