import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { createEmailRequest } from '../email-request.ts';
import type { EmailRequest, Registration } from '../schema.ts';
import { requireGoodPassword } from '../passwords/password-rules.ts';
import { admitForm, spendCaptcha } from '../captcha/proof.ts';
import { readRegistration } from './registration-rules.ts';
import { insertVerifiedAccount } from '../store.ts';
import { tokenInvalid } from '../refusals.ts';
import { findLink, insertRegistration, lockRegistrations, completeRegistrations } from './store.ts';

/** Registers accounts and verifies them. No response reveals whether an address has an account. */
export function createRegistration(parts: AccountsParts) {
  const { database, mail, passwords, limitForm } = parts;
  const { invitations } = parts.organizations;
  const requestEmail = createEmailRequest(parts);

  const invitationOf = async ({ invitation_token: token }: Registration, email: string) =>
    token === undefined ? null : invitations.requireInvitation(token, email);

  /**
   * Does the same work for every address; only the mail worker checks whether it has an account.
   */
  async function register(
    body: Registration,
    request: RequestFacts,
    beforeCommit: () => void,
  ): Promise<void> {
    const applicant = readRegistration(body, passwords.checkLength);
    await limitForm('register', { address: request.address });
    // Checked after the limit, although it causes a 400: the check takes milliseconds.
    await requireGoodPassword(passwords.findIssue, body.password, applicant);
    const proof = await admitForm(parts, body.captcha_token, request.address);
    const invitation_id = await invitationOf(body, applicant.email);
    const id = newId();
    const password_hash = await passwords.hash(body.password);
    await database.transaction(async (transaction) => {
      await spendCaptcha(transaction, proof);
      await insertRegistration(transaction, { ...applicant, id, password_hash });
      if (invitation_id !== null)
        await invitations.add(transaction, { registration_id: id, invitation_id });
      const job = { kind: 'register', address: applicant.email, subject_id: id };
      await mail.enqueue(transaction, job);
      beforeCommit();
    });
    mail.wake();
  }

  /** Creates the account from the registration that the link was sent for, if any; idempotent. */
  async function verify(token: string, request: RequestFacts): Promise<void> {
    const hash = hashSecret(token);
    const link = await findLink(database.pool, hash);
    if (link === null) throw tokenInvalid();
    if (link.account_id !== null) return;
    const id = newId();
    try {
      await parts.authz.change({
        actor: personActor(id, request),
        reason: 'account.verify',
        writes: [{ kind: 'account', id }],
        creates: [{ kind: 'account', id }],
        objects: [{ object: `account:${id}`, subject: `user:${id}` }],
        targets: [{ type: 'account', id }],
        basis: null,
        async work(transaction) {
          await lockRegistrations(transaction, link.email);
          await activate(parts, transaction, { id, hash });
        },
      });
    } catch (error) {
      if (!(error instanceof AlreadyVerified)) throw error;
      return;
    }
    await invitations.join(id, request);
  }

  return {
    register,
    resend: (body: EmailRequest, request: RequestFacts, beforeCommit: () => void) =>
      requestEmail({ kind: 'resend' }, body, request, beforeCommit),
    verify,
  };
}

/** Turns a link's registration into the account `id`. */
async function activate(
  { passwords, organizations, addPersonalSpace }: AccountsParts,
  transaction: Transaction,
  { id, hash }: { id: string; hash: Buffer },
): Promise<void> {
  const unusable = passwords.unusable();
  const account = await insertVerifiedAccount(transaction, { id, hash, unusable });
  const link = await findLink(transaction, hash);
  if (account === null && link?.account_id) throw new AlreadyVerified();
  if (account === null || link === null) throw tokenInvalid();
  await addPersonalSpace(transaction, id);
  const { email, registration_id } = link;
  if (registration_id !== null)
    await organizations.invitations.claim(transaction, { registration_id, account_id: id });
  await completeRegistrations(transaction, { account_id: id, email, registration_id });
}

/** Thrown to abort the transaction if a concurrent use of the same link created the account. */
class AlreadyVerified extends Error {}
