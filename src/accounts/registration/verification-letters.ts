import type { Claim, Letter, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findLocaleByEmail, hasAccount } from '../store.ts';
import { findRegistration, findWaiting, insertLink } from './store.ts';

const LETTERS_PER_HOUR = 6;

/** What the mail worker sends for a registration; only here is it looked up who has an account. */
export function createVerificationLetters({
  mail,
  config,
}: Pick<AccountsParts, 'mail' | 'config'>) {
  async function verifyLetter(
    transaction: Transaction,
    link: { email: string; registration_id: string | null; locale: string },
    { token }: Claim,
  ): Promise<Letter> {
    await insertLink(transaction, { ...link, hash: hashSecret(token) });
    const address = `${config.PUBLIC_URL}/verify#token=${token}`;
    return mail.letters.write('verify', link.locale, address);
  }

  /**
   * The owner of a known address is told so; anybody else gets the link of this registration. It
   * stays where it gets no link too: whoever sent it could tell by its going (docs/decisions/0014).
   */
  async function composeRegistered(transaction: Transaction, job: MailJob, claim: Claim) {
    const email = job.address;
    if (await hasAccount(transaction, email)) {
      const locale = await findLocaleByEmail(transaction, email);
      if (locale === null || !(await claim.cooldown('already_registered'))) return null;
      return mail.letters.write('already_registered', locale, null);
    }
    const waiting = await findRegistration(transaction, job.subject_id!);
    if (waiting === null || !(await claim.ceiling(LETTERS_PER_HOUR))) return null;
    const { locale } = waiting;
    return verifyLetter(transaction, { email, registration_id: waiting.id, locale }, claim);
  }

  async function composeResent(transaction: Transaction, job: MailJob, claim: Claim) {
    const email = job.address;
    if (await hasAccount(transaction, email)) return null;
    const latest = await findWaiting(transaction, email);
    if (latest === null || !(await claim.cooldown('resend'))) return null;
    // Nobody can say whose of several passwords is asked for again, so such a link proves the
    // address and activates none; a reset sets one.
    const registration_id = latest.is_agreed ? latest.id : null;
    return verifyLetter(transaction, { email, registration_id, locale: latest.locale }, claim);
  }

  return { register: composeRegistered, resend: composeResent };
}
