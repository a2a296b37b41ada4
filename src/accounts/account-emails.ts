import type { Composer } from '../mail/mail.ts';
import type { AccountsParts } from './dependencies.ts';
import { findLocale } from './locale.ts';

type SecurityNotice =
  | 'password_changed'
  | 'second_factor_changed'
  | 'recovery_code_used'
  | 'added_to_organization';

/** Composes security notices. They have no rate limit, since an attacker could exhaust it first. */
export function createAccountEmails({ mail }: Pick<AccountsParts, 'mail'>) {
  const notify =
    (kind: SecurityNotice): Composer =>
    async (transaction, job) => {
      // The account may have another address by now; the notice still goes to the job's address.
      const locale = await findLocale(transaction, job.subject_id!);
      return locale === null ? null : mail.templates.render(kind, locale, null);
    };
  return {
    password_changed: notify('password_changed'),
    second_factor_changed: notify('second_factor_changed'),
    recovery_code_used: notify('recovery_code_used'),
    added_to_organization: notify('added_to_organization'),
    /** The account is deleted by now: only the job's row remains. */
    account_deleted: async (_transaction, { locale }) =>
      mail.templates.render('account_deleted', locale!, null),
  } satisfies Record<string, Composer>;
}
