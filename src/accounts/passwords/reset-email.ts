import type { Claim, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findWaiting } from '../registration/store.ts';
import { hasAccount } from '../store.ts';
import { findForReset, prolongResetLink, replaceResetLink } from './store.ts';

interface User {
  /** Cooldown key: the account's id, or the e-mail address if there is no account yet. */
  of: string;
  locale: string;
}

/** Composes the e-mail with a reset link; only this step decides who may receive one. */
export function createResetEmail({ mail, config }: Pick<AccountsParts, 'mail' | 'config'>) {
  /** Returns null if no active account or registration with this address has a password. */
  async function findUser(transaction: Transaction, email: string): Promise<User | null> {
    const account = await findForReset(transaction, email);
    if (account) return account.may_reset ? { of: account.id, locale: account.locale } : null;
    // Reserved for its former owner: pending registrations must not get a link.
    if (await hasAccount(transaction, email)) return null;
    const waiting = await findWaiting(transaction, email);
    return waiting && { of: email, locale: waiting.locale };
  }

  async function composeReset(transaction: Transaction, job: MailJob, claim: Claim) {
    const user = await findUser(transaction, job.address);
    if (user === null || !(await claim.cooldown('reset', user.of))) return null;
    const link = { email: job.address, hash: hashSecret(claim.token) };
    // A retry must not restore a link that was used or replaced since the previous try.
    if (!job.claimed) await replaceResetLink(transaction, link);
    else if (!(await prolongResetLink(transaction, link))) return null;
    const url = `${config.PUBLIC_URL}/reset#token=${claim.token}`;
    return mail.templates.render('reset', user.locale, url);
  }

  return { reset: composeReset };
}
