import { solveChallenge } from 'altcha-lib';
import type { Challenge } from 'altcha-lib';
import { deriveKey as derivePbkdf2 } from 'altcha-lib/algorithms/web/pbkdf2';
import { deriveKey as deriveSha } from 'altcha-lib/algorithms/web/sha';

/** Solves a challenge outside the page's thread, and posts its token; null if it took too long. */
addEventListener('message', ({ data }: MessageEvent<Challenge>) => void solve(data));

async function solve(challenge: Challenge): Promise<void> {
  const isSha = challenge.parameters.algorithm === 'SHA-256';
  const solution = await solveChallenge({ challenge, deriveKey: isSha ? deriveSha : derivePbkdf2 });
  postMessage(solution ? btoa(JSON.stringify({ challenge, solution })) : null);
}
