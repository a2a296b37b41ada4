import type { Transaction } from '../platform/database.ts';
import { unprocessable } from '../platform/refusal.ts';
import type { Captcha, Proof } from './captcha.ts';
import type { Parts } from './dependencies.ts';
import { isSpent, spend } from './store.ts';

const KIND = 'captcha';

/**
 * Signature, age, solution and whether it was spent: 422. Nothing is spent yet, so that the same
 * token serves again after a 503.
 */
export async function checkCaptcha(
  { captcha, database }: Pick<Parts, 'captcha' | 'database'>,
  token: string | undefined,
  address: string,
): Promise<Proof> {
  if (token === undefined || token === '') throw captchaFailed();
  const answer: Awaited<ReturnType<Captcha['verify']>> = await captcha.verify(token, address);
  if (answer.outcome !== 'ok') throw captchaFailed();
  if (await isSpent(database.pool, KIND, answer.proof.hash)) throw captchaFailed();
  return answer.proof;
}

/** In the transaction the proof pays for: of two at once, one saves. */
export async function spendCaptcha(transaction: Transaction, proof: Proof): Promise<void> {
  if (!(await spend(transaction, KIND, proof))) throw captchaFailed();
}

const captchaFailed = () =>
  unprocessable('captcha_failed', 'The CAPTCHA is missing, wrong, expired or was used already.', {
    detail: { pointer: '/captcha_token' },
  });
