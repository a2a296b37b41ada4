import { solveChallenge } from 'altcha-lib';
import type { Challenge } from 'altcha-lib';
import { deriveKey as derivePbkdf2 } from 'altcha-lib/algorithms/pbkdf2';
import { deriveKey as deriveSha } from 'altcha-lib/algorithms/sha';

/** Solves a CAPTCHA challenge as the widget does, and returns its token. */
export async function solveCaptcha(challenge: Challenge): Promise<string> {
  const isSha = challenge.parameters.algorithm === 'SHA-256';
  const solution = await solveChallenge({ challenge, deriveKey: isSha ? deriveSha : derivePbkdf2 });
  if (!solution) throw new Error('The CAPTCHA challenge could not be solved in time.');
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}
