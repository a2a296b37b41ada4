import type { Transaction } from '../../platform/postgres/database.ts';
import { Refusal, unprocessable } from '../../platform/errors/refusal.ts';
import type { Proof } from './captcha.ts';
import type { AccountsParts } from '../dependencies.ts';
import { isPassed, isSpendable, rememberPassed, spend } from './store.ts';

type Means = Pick<AccountsParts, 'captcha' | 'database' | 'mail'>;

/**
 * The captcha of a form that sends a letter, 422, and whether letters can be sent at all, 503.
 * Nothing is spent yet, so that the same token serves again after a 503.
 */
export async function admitForm(
  means: Means,
  token: string | undefined,
  address: string,
): Promise<Proof> {
  const { captcha, database, mail } = means;
  const proof = token === undefined || token === '' ? null : captcha.read(token);
  if (proof === null || !(await isSpendable(database.pool, proof))) throw captchaFailed();
  if (captcha.isHosted) await mail.requireDelivery();
  await verify(means, token!, proof, address);
  if (!captcha.isHosted) await mail.requireDelivery();
  return proof;
}

/** In the transaction the proof pays for: of two at once, one saves. */
export async function spendCaptcha(transaction: Transaction, proof: Proof): Promise<void> {
  if (!(await spend(transaction, proof))) throw captchaFailed();
}

async function verify(
  { captcha, database }: Means,
  token: string,
  proof: Proof,
  address: string,
): Promise<void> {
  if (captcha.isHosted && (await isPassed(database.pool, proof.hash))) return;
  const answer = await captcha.verify(token, address);
  if (answer.outcome === 'invalid') throw captchaFailed();
  if (answer.outcome === 'unavailable') throw captchaUnavailable(answer.reason);
  // The provider passes it once, and what follows may yet be refused with 503.
  if (captcha.isHosted) await rememberPassed(database.pool, proof.hash);
}

const captchaFailed = () =>
  unprocessable('captcha_failed', 'The CAPTCHA is missing, wrong, expired or was used already.', {
    detail: { pointer: '/captcha_token' },
  });

const captchaUnavailable = (reason: string) =>
  new Refusal(
    'unavailable',
    'captcha_unavailable',
    'The CAPTCHA cannot be checked right now. Nothing was saved; try again shortly.',
    { reason, retryAfterSeconds: 5 },
  );
