import type { Claim, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findLatestRegistration } from '../registration/store.ts';
import { hasAccount } from '../store.ts';
import { findForReset, extendResetLink, replaceResetLink } from './store.ts';

interface Recipient {
  /** The account's id, or the e-mail address if there is no account yet. */
  cooldown_key: string;
  locale: string;
}

/** Composes the e-mail with a reset link; only this step decides who may receive one. */
export function createResetEmail({ mail, config }: Pick<AccountsParts, 'mail' | 'config'>) {
  /** Returns null if no active account or registration with this address has a password. */
  async function findRecipient(transaction: Transaction, email: string): Promise<Recipient | null> {
    const account = await findForReset(transaction, email);
    if (account)
      return account.may_reset ? { cooldown_key: account.id, locale: account.locale } : null;
    // Reserved for its former owner: pending registrations must not get a link.
    if (await hasAccount(transaction, email)) return null;
    const registration = await findLatestRegistration(transaction, email);
    return registration && { cooldown_key: email, locale: registration.locale };
  }

  async function composeReset(transaction: Transaction, job: MailJob, claim: Claim) {
    const recipient = await findRecipient(transaction, job.address);
    if (recipient === null || !(await claim.cooldown('reset', recipient.cooldown_key))) return null;
    const link = { email: job.address, hash: hashSecret(claim.token) };
    // A retry must not restore a link that was used or replaced since the previous attempt.
    if (!job.claimed) await replaceResetLink(transaction, link);
    else if (!(await extendResetLink(transaction, link))) return null;
    const url = `${config.PUBLIC_URL}/reset#token=${claim.token}`;
    return mail.templates.render('reset', recipient.locale, url);
  }

  return { reset: composeReset };
}
