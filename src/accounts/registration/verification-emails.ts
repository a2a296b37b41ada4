import type { Claim, Email, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findLocaleByEmail } from '../locale.ts';
import { hasAccount } from '../store.ts';
import { findRegistration, findLatestRegistration, insertLink } from './store.ts';

// Shared by everyone, since no one has an account yet; `resend` does not count towards it.
const MAX_EMAILS_PER_HOUR = { from_all: 6 };

/** Composes the e-mails of a registration; only this step checks who has an account. */
export function createVerificationEmails({ mail, config }: Pick<AccountsParts, 'mail' | 'config'>) {
  async function verificationEmail(
    transaction: Transaction,
    link: { email: string; registration_id: string | null; locale: string },
    { token }: Claim,
  ): Promise<Email> {
    await insertLink(transaction, { ...link, hash: hashSecret(token) });
    const url = `${config.PUBLIC_URL}/verify#token=${token}`;
    return mail.templates.render('verify', link.locale, url);
  }

  /**
   * Notifies the owner if the address has an account, else sends the link of this registration. A
   * registration that gets no link is kept: its deletion would reveal the account to the person who
   * registered (docs/decisions/0014).
   */
  async function composeRegistered(transaction: Transaction, job: MailJob, claim: Claim) {
    const email = job.address;
    if (await hasAccount(transaction, email)) {
      const locale = await findLocaleByEmail(transaction, email);
      if (locale === null || !(await claim.cooldown('already_registered'))) return null;
      return mail.templates.render('already_registered', locale, null);
    }
    const registration = await findRegistration(transaction, job.subject_id!);
    if (registration === null || !(await claim.within(MAX_EMAILS_PER_HOUR))) return null;
    const { id, locale } = registration;
    return verificationEmail(transaction, { email, registration_id: id, locale }, claim);
  }

  async function composeResent(transaction: Transaction, job: MailJob, claim: Claim) {
    const email = job.address;
    if (await hasAccount(transaction, email)) return null;
    const latest = await findLatestRegistration(transaction, email);
    if (latest === null || !(await claim.cooldown('resend'))) return null;
    // If the registrations have different passwords, it is unknown which one the link is requested
    // for. The link then only proves the address and activates no password; a reset sets one.
    const registration_id = latest.is_only_password ? latest.id : null;
    return verificationEmail(transaction, { email, registration_id, locale: latest.locale }, claim);
  }

  return { register: composeRegistered, resend: composeResent };
}
