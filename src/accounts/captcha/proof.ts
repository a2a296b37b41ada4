import type { Transaction } from '../../platform/postgres/database.ts';
import { Refusal, unprocessable } from '../../platform/errors/refusal.ts';
import type { Proof } from './captcha.ts';
import type { AccountsParts } from '../dependencies.ts';
import { wasVerified, isSpendable, rememberVerified, spend } from './store.ts';

type ProofDependencies = Pick<AccountsParts, 'captcha' | 'database' | 'mail'>;

/**
 * Checks the captcha of a form that sends an e-mail (422), and that e-mail can be sent at all
 * (503). Does not spend the token yet, so that the same token can be used again after a 503.
 */
export async function admitForm(
  dependencies: ProofDependencies,
  token: string | undefined,
  address: string,
): Promise<Proof> {
  const { captcha, database, mail } = dependencies;
  const proof = token === undefined || token === '' ? null : captcha.read(token);
  if (proof === null || !(await isSpendable(database.pool, proof))) throw captchaFailed();
  if (captcha.isHosted) await mail.requireDelivery();
  await verify(dependencies, token!, proof, address);
  if (!captcha.isHosted) await mail.requireDelivery();
  return proof;
}

/** Spends the proof in the transaction that it permits; of concurrent calls only one commits. */
export async function spendCaptcha(transaction: Transaction, proof: Proof): Promise<void> {
  if (!(await spend(transaction, proof))) throw captchaFailed();
}

async function verify(
  { captcha, database }: ProofDependencies,
  token: string,
  proof: Proof,
  address: string,
): Promise<void> {
  if (captcha.isHosted && (await wasVerified(database.pool, proof.hash))) return;
  const result = await captcha.verify(token, address);
  if (result.outcome === 'invalid') throw captchaFailed();
  if (result.outcome === 'unavailable') throw captchaUnavailable(result.reason);
  // The provider accepts a token only once, and a later step may still fail with 503.
  if (captcha.isHosted) await rememberVerified(database.pool, proof.hash);
}

const captchaFailed = () =>
  unprocessable(
    'captcha_failed',
    'The CAPTCHA token is missing, invalid, expired or already used. Solve a new CAPTCHA.',
    {
      detail: { pointer: '/captcha_token' },
    },
  );

const captchaUnavailable = (reason: string) =>
  new Refusal(
    'unavailable',
    'captcha_unavailable',
    'The CAPTCHA cannot be verified right now. Nothing was saved; try again shortly.',
    { reason, retryAfterSeconds: 5 },
  );
