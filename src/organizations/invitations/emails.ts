import type { Claim, Composer, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { findEmailLocale, saveLink } from './store.ts';

/**
 * Composes the e-mails of invitations; only this step reads whether the address has an account.
 * They mention neither the inviter's nor the organization's name, since anyone can choose those.
 */
export function createInvitationEmails({
  mail,
  config,
}: Pick<OrganizationsDependencies, 'mail' | 'config'>) {
  async function compose(transaction: Transaction, { subject_id }: MailJob, claim: Claim) {
    const email_id = subject_id!;
    const locale = await findEmailLocale(transaction, email_id);
    if (locale === null) return null;
    const { token } = claim;
    if (!(await saveLink(transaction, { email_id, hash: hashSecret(token) }))) return null;
    return mail.templates.render(
      'invitation',
      locale,
      `${config.PUBLIC_URL}/invite#token=${token}`,
    );
  }
  return { invitation: compose } satisfies Record<string, Composer>;
}
