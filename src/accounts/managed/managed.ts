import type { Actor } from '../../caller/actor.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import { fallbackLanguage, languageAtSignUp } from '../../texts/languages.ts';
import type { AccountsParts } from '../dependencies.ts';
import { cleanName } from '../names.ts';
import { completeRegistrations, lockRegistrations } from '../registration/store.ts';
import { endSessionsExcept } from '../sessions/end-sessions.ts';
import { insertManagedAccount, setEmail, updateProfile } from '../store.ts';

export { isManagedThrough } from './store.ts';

/** The names of a person as a directory sends them. */
interface SentNames {
  first_name: string | null;
  last_name: string | null;
}

/** A new account that an organization manages. */
export interface NewManagedAccount extends SentNames {
  id: string;
  organization_id: string;
  email: string;
  /** A language tag; null or an unknown one means English. */
  language: string | null;
}

/**
 * Creates the changes of accounts by the organization that manages them, each in its own
 * transaction.
 */
export function createManagedAccounts({
  audit,
  mail,
  addPersonalSpace,
}: Pick<AccountsParts, 'audit' | 'mail' | 'addPersonalSpace'>) {
  return {
    /**
     * Creates an account without a password. Returns false if its address has an account or is
     * reserved for one.
     */
    async insert(
      transaction: Transaction,
      { language, ...account }: NewManagedAccount,
      actor: Actor,
    ) {
      const { id, email } = account;
      // Unverified registrations of the address must not give access to this account.
      await lockRegistrations(transaction, email);
      const isInserted = await insertManagedAccount(transaction, {
        ...account,
        ...cleaned(account),
        locale: (language && languageAtSignUp(language)) ?? fallbackLanguage,
      });
      if (!isInserted) return false;
      await addPersonalSpace(transaction, id);
      await completeRegistrations(transaction, { account_id: id, email, registration_id: null });
      await audit.record(transaction, {
        ...{ actor, action: 'account.create', scope: { kind: 'account', id } },
        units: [{ type: 'account', id }],
      });
      return true;
    },
    async rename(transaction: Transaction, id: string, names: SentNames) {
      await updateProfile(transaction, id, cleaned(names));
    },
    /** Replaces the address; false if it is in use or reserved. */
    changeEmail: (transaction: Transaction, account: { id: string; email: string }) =>
      withFallbackOnViolation(
        setEmail(transaction, { ...account, by: 'organization' }),
        ['account_email_unique'],
        false,
      ),
    /** Ends all sessions of an account, managed or not, and its pending sign-ins. */
    endSessions: (transaction: Transaction, id: string) => endSessionsExcept(transaction, id, null),
    /** Tells a person by e-mail that a directory made their account a member. */
    async notifyAdded(transaction: Transaction, { id, email }: { id: string; email: string }) {
      await mail.enqueue(transaction, {
        kind: 'added_to_organization',
        address: email,
        subject_id: id,
      });
    },
  };
}
export type ManagedAccounts = ReturnType<typeof createManagedAccounts>;

const cleaned = ({ first_name, last_name }: SentNames): SentNames => ({
  first_name: cleanName(first_name ?? undefined),
  last_name: cleanName(last_name ?? undefined),
});
