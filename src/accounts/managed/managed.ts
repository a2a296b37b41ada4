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

/** Changes of accounts by the organization that manages them, each in its own transaction. */
export interface ManagedAccounts {
  /**
   * Creates an account without a password. Returns false if its address has an account or is
   * reserved for one.
   */
  insert(transaction: Transaction, account: NewManagedAccount, actor: Actor): Promise<boolean>;
  rename(transaction: Transaction, id: string, names: SentNames): Promise<void>;
  /** Replaces the address; false if it is in use or reserved. */
  changeEmail(transaction: Transaction, account: { id: string; email: string }): Promise<boolean>;
  /** Ends all sessions of an account, managed or not, and its pending sign-ins. */
  endSessions(transaction: Transaction, id: string): Promise<void>;
  /** Tells a person by e-mail that a directory made their account a member. */
  notifyAdded(transaction: Transaction, account: { id: string; email: string }): Promise<void>;
}

export function createManagedAccounts({
  audit,
  mail,
  addPersonalSpace,
}: Pick<AccountsParts, 'audit' | 'mail' | 'addPersonalSpace'>): ManagedAccounts {
  return {
    async insert(transaction, { language, ...account }, actor) {
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
    async rename(transaction, id, names) {
      await updateProfile(transaction, id, cleaned(names));
    },
    changeEmail: (transaction, account) =>
      withFallbackOnViolation(
        setEmail(transaction, { ...account, by: 'organization' }),
        ['account_email_unique'],
        false,
      ),
    endSessions: (transaction, id) => endSessionsExcept(transaction, id, null),
    async notifyAdded(transaction, { id, email }) {
      await mail.enqueue(transaction, {
        kind: 'added_to_organization',
        address: email,
        subject_id: id,
      });
    },
  };
}

const cleaned = ({ first_name, last_name }: SentNames): SentNames => ({
  first_name: cleanName(first_name ?? undefined),
  last_name: cleanName(last_name ?? undefined),
});
