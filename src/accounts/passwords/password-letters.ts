import type { Claim, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findWaiting } from '../registration/store.ts';
import { findLocale, hasAccount } from '../store.ts';
import { findForReset, prolongResetLink, replaceResetLink } from './store.ts';

interface User {
  /** Whose cooldown it is: an account's, whatever its address, or an address that waits for one. */
  of: string;
  locale: string;
}

/** The letters about passwords; only here is it looked up who may get a reset link. */
export function createPasswordLetters({ mail, config }: Pick<AccountsParts, 'mail' | 'config'>) {
  /** Null: nobody signs in by a password with this address. */
  async function findUser(transaction: Transaction, email: string): Promise<User | null> {
    const account = await findForReset(transaction, email);
    if (account) return account.may_reset ? { of: account.id, locale: account.locale } : null;
    // Kept for who left it: registrations of it get no link.
    if (await hasAccount(transaction, email)) return null;
    const waiting = await findWaiting(transaction, email);
    return waiting && { of: email, locale: waiting.locale };
  }

  async function composeReset(transaction: Transaction, job: MailJob, claim: Claim) {
    const user = await findUser(transaction, job.address);
    if (user === null || !(await claim.cooldown('reset', user.of))) return null;
    const link = { email: job.address, hash: hashSecret(claim.token) };
    // A retry must not bring back a link that was used or replaced since the try before.
    if (!job.claimed) await replaceResetLink(transaction, link);
    else if (!(await prolongResetLink(transaction, link))) return null;
    const address = `${config.PUBLIC_URL}/reset#token=${claim.token}`;
    return mail.letters.write('reset', user.locale, address);
  }

  async function composeChanged(transaction: Transaction, job: MailJob) {
    const locale = await findLocale(transaction, job.subject_id!);
    if (locale === null) return null;
    return mail.letters.write('password_changed', locale, null);
  }

  return { reset: composeReset, password_changed: composeChanged };
}
