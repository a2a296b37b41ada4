import type { Claim, Composer, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { findLocaleByEmail } from '../locale.ts';
import { hasAccount } from '../store.ts';
import {
  dropChange,
  findReservedLocale,
  findRequestedChange,
  saveConfirmLink,
  saveUndoLink,
} from './store.ts';

// To one address, whose owner did not request them: from one account, and from all together, which
// is far more, so that no account can keep another's e-mails from an address.
const MAX_EMAILS_PER_HOUR = { from_account: 6, from_all: 60 };

/** Composes the e-mails of an address change; only this step checks who has the address. */
export function createChangeEmails({ mail, config }: Pick<AccountsParts, 'mail' | 'config'>) {
  /** Sends the link to the new address, or a notice to its owner if it is taken. */
  async function composeConfirmation(transaction: Transaction, job: MailJob, claim: Claim) {
    const id = job.subject_id!;
    const change = await findRequestedChange(transaction, id);
    if (change === null) return null;
    const { account_id, email, locale } = change;
    const { from_account: limit, from_all } = MAX_EMAILS_PER_HOUR;
    const isDue =
      email !== change.current &&
      (await claim.cooldown('email_confirm', account_id)) &&
      (await claim.within({ from_account: { id: account_id, limit }, from_all }));
    if (!isDue) {
      await dropChange(transaction, id);
      return null;
    }
    // A taken address was treated like a free one so far. It stays pending too, so that the profile
    // does not reveal that it is taken.
    if (await hasAccount(transaction, email, account_id)) {
      await saveConfirmLink(transaction, { id, hash: null });
      return composeTakenNotice(transaction, job, claim);
    }
    await saveConfirmLink(transaction, { id, hash: hashSecret(claim.token) });
    const link = `${config.PUBLIC_URL}/email/confirm#token=${claim.token}`;
    return mail.templates.render('email_confirm', locale, link);
  }

  async function composeTakenNotice(transaction: Transaction, { address }: MailJob, claim: Claim) {
    const locale = await findLocaleByEmail(transaction, address);
    if (locale === null || !(await claim.cooldown('email_taken'))) return null;
    return mail.templates.render('email_taken', locale, null);
  }

  async function composeChangedNotice(transaction: Transaction, job: MailJob, { token }: Claim) {
    const { address, subject_id } = job;
    const reservation = { account_id: subject_id!, email: address };
    const locale = await findReservedLocale(transaction, reservation);
    if (locale === null) return null;
    await saveUndoLink(transaction, { email: address, hash: hashSecret(token) });
    const link = `${config.PUBLIC_URL}/email/undo#token=${token}`;
    return mail.templates.render('email_changed', locale, link);
  }

  return {
    email_confirm: composeConfirmation,
    email_changed: composeChangedNotice,
  } satisfies Record<string, Composer>;
}
