import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { dropChanges } from '../email-change/store.ts';
import { createEmailRequest } from '../email-request.ts';
import {
  findLatestRegistration,
  lockRegistrations,
  resetRegistrations,
} from '../registration/store.ts';
import type { EmailRequest, PasswordReset } from '../schema.ts';
import { endSessionsExcept } from '../sessions/end-sessions.ts';
import { hasAccount, lockAccountByEmail, resetPasswordHash } from '../store.ts';
import { tokenInvalid } from '../refusals.ts';
import { requireGoodLength, requireGoodPassword } from './password-rules.ts';
import type { Person } from './password-rules.ts';
import { findForReset, findResetEmail, takeResetLink } from './store.ts';

/** Resets a password with a link that is sent to the address. */
export function createPasswordReset(parts: AccountsParts) {
  const { database, mail, audit, passwords } = parts;
  const requestEmail = createEmailRequest(parts);

  /**
   * Sets a new password. A bad length is 400 even if the link is invalid (422). Whether it is
   * guessable is checked only with a valid link: that check takes milliseconds, and this form has
   * no rate limit.
   */
  async function confirm(body: PasswordReset, request: RequestFacts): Promise<void> {
    requireGoodLength(passwords.checkLength, body.password);
    const hash = hashSecret(body.token);
    const email = await findResetEmail(database.pool, hash);
    if (email === null) throw tokenInvalid();
    await requireGoodPassword(passwords.findIssue, body.password, await findPerson(email));
    const to = await passwords.hash(body.password);
    await database.transaction(async (transaction) => {
      await lockAccountOrRegistrations(transaction, email);
      const isConsumed = (await takeResetLink(transaction, hash)) !== null;
      if (!isConsumed || !(await setPassword(transaction, { email, to }, request)))
        throw tokenInvalid();
    });
    mail.wake();
  }

  async function findPerson(email: string): Promise<Person> {
    const { pool } = database;
    const names = (await findForReset(pool, email)) ?? (await findLatestRegistration(pool, email));
    return { first_name: null, last_name: null, ...names, email };
  }

  /**
   * Locks the account or the registrations of an address. The account is locked first, as in
   * every change of an account: in another order, two transactions could deadlock on it and a link
   * or registration.
   */
  async function lockAccountOrRegistrations(
    transaction: Transaction,
    email: string,
  ): Promise<void> {
    if ((await lockAccountByEmail(transaction, email)) !== null) return;
    // Waits for a concurrent verification, after which there is an account instead.
    await lockRegistrations(transaction, email);
    await lockAccountByEmail(transaction, email);
  }

  /**
   * Sets the password; false if the address has neither a registration nor an active account with a
   * password.
   */
  async function setPassword(
    transaction: Transaction,
    { email, to }: { email: string; to: string },
    request: RequestFacts,
  ): Promise<boolean> {
    const id = await resetPasswordHash(transaction, { email, to });
    if (id === null) {
      if (await hasAccount(transaction, email)) return false;
      return resetRegistrations(transaction, { email, password_hash: to });
    }
    await endSessionsExcept(transaction, id, null);
    await dropChanges(transaction, id);
    await audit.record(transaction, {
      actor: personActor(id, request),
      action: 'password.reset',
      scope: { kind: 'account', id },
      units: [{ type: 'account', id }],
    });
    await mail.enqueue(transaction, { kind: 'password_changed', address: email, subject_id: id });
    return true;
  }

  return {
    request: (body: EmailRequest, request: RequestFacts, beforeCommit: () => void) =>
      requestEmail({ kind: 'reset', try_hours: 1 }, body, request, beforeCommit),
    confirm,
  };
}
