import type { Claim, Letter, MailJob } from '../mail/mail.ts';
import type { Transaction } from '../platform/database.ts';
import { hashSecret, newToken } from '../platform/secrets.ts';
import type { Parts } from './dependencies.ts';
import {
  dropRegistrations,
  findLocaleByEmail,
  findRegistration,
  findWaiting,
  hasAccount,
  insertLink,
} from './store.ts';

const LETTERS_PER_HOUR = 6;

/** What the mail worker sends for a registration; only here is it looked up who has an account. */
export function createVerificationLetters({ mail, config }: Pick<Parts, 'mail' | 'config'>) {
  async function verifyLetter(
    transaction: Transaction,
    link: { email: string; registration_id: string | null; locale: string },
  ): Promise<Letter> {
    const token = newToken();
    await insertLink(transaction, { ...link, hash: hashSecret(token) });
    const address = `${config.DASHBOARD_URL}/verify#token=${token}`;
    return mail.letters.write('verify', link.locale, address);
  }

  /** The owner of a known address is told so; anybody else gets the link of this registration. */
  async function composeRegistered(transaction: Transaction, job: MailJob, claim: Claim) {
    const email = job.address;
    if (await hasAccount(transaction, email)) {
      await dropRegistrations(transaction, email);
      const locale = await findLocaleByEmail(transaction, email);
      if (locale === null || !(await claim.cooldown('already_registered'))) return null;
      return mail.letters.write('already_registered', locale, `${config.DASHBOARD_URL}/`);
    }
    const waiting = await findRegistration(transaction, job.subject_id!);
    if (waiting === null || !(await claim.ceiling(LETTERS_PER_HOUR))) return null;
    const { locale } = waiting;
    return verifyLetter(transaction, { email, registration_id: waiting.id, locale });
  }

  async function composeResent(transaction: Transaction, job: MailJob, claim: Claim) {
    const email = job.address;
    if (await hasAccount(transaction, email)) return null;
    const [latest, other] = await findWaiting(transaction, email);
    if (latest === undefined || !(await claim.cooldown('resend'))) return null;
    // Nobody can say whose of several registrations is asked for again, so such a link proves
    // the address and activates no password; a reset sets one.
    const registration_id = other === undefined ? latest.id : null;
    return verifyLetter(transaction, { email, registration_id, locale: latest.locale });
  }

  return { register: composeRegistered, resend: composeResent };
}
