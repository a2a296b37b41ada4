import { actorOf, personActor } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequireReauthentication } from '../../caller/reauthentication.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { violatedConstraint } from '../../platform/postgres/database.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { readAddress } from '../../platform/text/address.ts';
import type { AccountsParts } from '../dependencies.ts';
import { accountDeleted, requireNotManaged, tokenInvalid } from '../refusals.ts';
import { isManagedAccount } from '../managed/store.ts';
import { passwordNeeded } from '../passwords/reauthentication.ts';
import { dropResetLink } from '../passwords/store.ts';
import { dropRegistrations } from '../registration/store.ts';
import { endSessionsExcept } from '../sessions/end-sessions.ts';
import { dropMethodsSince } from '../sign-in/methods.ts';
import { requireOwnProof } from '../sso-access/own-proof.ts';
import { hasSignInMethod, lockAccountForUpdate, setEmail, setPasswordHash } from '../store.ts';
import type { LockedAccount } from '../store.ts';
import type { EmailChange } from '../schema.ts';
import {
  dropChanges,
  dropReservationsSince,
  findLinkOwner,
  insertChange,
  reserveAddress,
  useConfirmLink,
  useUndoLink,
} from './store.ts';

export type EmailChangeParts = AccountsParts & { requireReauthentication: RequireReauthentication };

/** Changes an account's address: a session requests it, e-mailed links confirm and undo it. */
export const createEmailChange = (parts: EmailChangeParts) => ({
  request: createChangeRequest(parts),
  ...createLinks(parts),
});

function createChangeRequest({ database, mail, audit, requireReauthentication }: EmailChangeParts) {
  /**
   * Does the same work for every address; only the mail worker checks whether it has an account.
   */
  return async function requestChange(
    caller: SessionPrincipal,
    body: EmailChange,
    request: RequestFacts,
  ): Promise<void> {
    const { person: account_id, credential: session } = caller;
    const email = readAddress(body.email);
    await requireNotManaged(database.pool, account_id);
    await requireOwnProof(database.pool, caller);
    await mail.requireDelivery();
    const reauthentication = await requireReauthentication(caller, body.current_password, request);
    const id = newId();
    await database.transaction(async (transaction) => {
      const account = await lockAccountForUpdate(transaction, account_id);
      if (account?.status !== 'active') throw accountDeleted();
      if (account.password_hash !== reauthentication.password_hash) throw passwordNeeded();
      await insertChange(transaction, { id, account_id, session_id: session.id, email });
      await mail.enqueue(transaction, { kind: 'email_confirm', address: email, subject_id: id });
      await audit.record(transaction, {
        ...auditFieldsOf(account_id),
        actor: actorOf(caller, request),
        action: 'email.request',
      });
    });
    mail.wake();
  };
}

function createLinks({ database, mail, audit, passwords }: EmailChangeParts) {
  /** Runs `use` with the link's account locked, which serializes concurrent uses of one link. */
  async function useLink(
    token: string,
    use: (transaction: Transaction, account: LockedAccount, hash: Buffer) => Promise<void>,
  ): Promise<void> {
    const hash = hashSecret(token);
    const owner = await findLinkOwner(database.pool, hash);
    if (owner === null) throw tokenInvalid();
    try {
      await database.transaction(async (transaction) => {
        const account = await lockAccountForUpdate(transaction, owner);
        if (account === null) throw tokenInvalid();
        await use(transaction, account, hash);
      });
    } catch (error) {
      // Another account has taken the address in the meantime.
      if (violatedConstraint(error) === 'account_email_unique') throw tokenInvalid();
      throw error;
    }
    mail.wake();
  }

  const confirm = (token: string, request: RequestFacts): Promise<void> =>
    useLink(token, async (transaction, account, hash) => {
      const { id, email: former } = account;
      const change = account.status === 'active' ? await useConfirmLink(transaction, hash) : null;
      // It may have been requested before the organization managed the account.
      if (change === null || (await isManagedAccount(transaction, id))) throw tokenInvalid();
      await setAccountEmail(transaction, account, change.email);
      const isRevert = await dropReservationsSince(transaction, { account_id: id, ...change });
      // Changing back to a reserved address undoes the change, so nothing is reserved or sent.
      if (former !== null && former !== change.email && !isRevert) {
        const password_digest = digestOf(account);
        await reserveAddress(transaction, { account_id: id, email: former, password_digest });
        const notice = { kind: 'email_changed', address: former, subject_id: id };
        await mail.enqueue(transaction, notice);
      }
      await endSessionsExcept(transaction, id, change.session_id);
      await audit.record(transaction, {
        ...auditFieldsOf(id),
        actor: personActor(id, request),
        action: 'email.change',
      });
    });

  const undo = (token: string, request: RequestFacts): Promise<void> =>
    useLink(token, async (transaction, account, hash) => {
      const { id } = account;
      const undone = await useUndoLink(transaction, hash);
      if (undone === null) throw tokenInvalid();
      const { email, since, password_digest } = undone;
      // Clears the account's cooldowns, so that its owner can reset the password at once.
      await mail.deleteEmails(transaction, { own: [id], entered: [], subjects: [] });
      await setAccountEmail(transaction, account, email);
      // Sign-in methods added since the change were announced only to the address that is now
      // removed.
      await dropMethodsSince(transaction, [{ account_id: id, since }]);
      await dropPassword(transaction, account, { password_digest, unusable: passwords.unusable() });
      await dropReservationsSince(transaction, { account_id: id, email });
      await endSessionsExcept(transaction, id, null);
      await audit.record(transaction, {
        ...auditFieldsOf(id),
        actor: personActor(id, request),
        action: 'email.undo',
      });
    });

  return { confirm, undo };
}

/**
 * Sets the account's address and deletes what was pending: registrations of the new address, reset
 * links of both addresses, and the account's other address changes.
 */
async function setAccountEmail(
  transaction: Transaction,
  { id, email: former }: LockedAccount,
  email: string,
): Promise<void> {
  // Lock order: registrations before their address, as in verification.
  await dropRegistrations(transaction, email);
  if (!(await setEmail(transaction, { id, email, by: 'person' }))) throw tokenInvalid();
  for (const address of [former, email])
    if (address !== null) await dropResetLink(transaction, address);
  await dropChanges(transaction, id);
}

/**
 * Makes the password unusable unless it is the one from before the change. An account without a
 * password also gets an unusable one if it has no other way to sign in: only an existing password
 * can be reset.
 */
async function dropPassword(
  transaction: Transaction,
  account: LockedAccount,
  { password_digest, unusable }: { password_digest: Buffer | null; unusable: string },
): Promise<void> {
  const { id, password_hash: from } = account;
  const isKept =
    from === null
      ? await hasSignInMethod(transaction, id)
      : password_digest !== null && hashSecret(from).equals(password_digest);
  if (isKept) return;
  await setPasswordHash(transaction, { id, from, to: unusable });
}

/** Returns a digest that identifies the password hash, so that the hash itself is not stored. */
const digestOf = ({ password_hash }: LockedAccount): Buffer | null =>
  password_hash === null ? null : hashSecret(password_hash);

const auditFieldsOf = (id: string) => ({
  scope: { kind: 'account' as const, id },
  units: [{ type: 'account', id }],
});
