import { actorOf, personActor } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { violatedConstraint } from '../../platform/postgres/database.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { readAddress } from '../address.ts';
import type { AccountsParts } from '../dependencies.ts';
import { accountGone, tokenInvalid } from '../refusals.ts';
import { dropIdentitiesSince } from '../identities/store.ts';
import { passwordNeeded } from '../passwords/presence.ts';
import type { RequirePresence } from '../passwords/presence.ts';
import { dropResetLink } from '../passwords/store.ts';
import { dropRegistrations } from '../registration/store.ts';
import { dropFactorsSince } from '../second-factor/change.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { hasWayIn, lockAccount, setEmail, setPasswordHash } from '../store.ts';
import type { HeldAccount } from '../store.ts';
import type { EmailChange } from '../schema.ts';
import {
  dropChanges,
  dropReservationsSince,
  findLinkOwner,
  insertChange,
  reserve,
  useConfirmLink,
  useUndoLink,
} from './store.ts';

export type EmailChangeParts = AccountsParts & {
  sessions: Sessions;
  requirePresence: RequirePresence;
};

/** From one address to another: asked for in a session, confirmed and undone by links alone. */
export const createEmailChange = (parts: EmailChangeParts) => ({
  ask: createAsk(parts),
  ...createLinks(parts),
});

function createAsk({ database, mail, audit, requirePresence }: EmailChangeParts) {
  /** Does equal work for every address; the mail worker alone looks who has an account. */
  return async function ask(
    caller: SessionPrincipal,
    body: EmailChange,
    request: RequestFacts,
  ): Promise<void> {
    const { person: account_id, credential: session } = caller;
    const email = readAddress(body.email);
    await mail.requireDelivery();
    const presence = await requirePresence(caller, body.current_password, request);
    const id = newId();
    await database.transaction(async (transaction) => {
      const account = await lockAccount(transaction, account_id);
      if (account?.status !== 'active') throw accountGone();
      if (account.password_hash !== presence.password_hash) throw passwordNeeded();
      await insertChange(transaction, { id, account_id, session_id: session.id, email });
      await mail.enqueue(transaction, { kind: 'email_confirm', address: email, subject_id: id });
      await audit.record(transaction, {
        ...changeOf(account_id),
        actor: actorOf(caller, request),
        action: 'email.ask',
      });
    });
    mail.wake();
  };
}

function createLinks({ database, mail, audit, passwords, sessions }: EmailChangeParts) {
  /** Runs `use` on the account of a link, held; one link is used by one of many. */
  async function useLink(
    token: string,
    use: (transaction: Transaction, account: HeldAccount, hash: Buffer) => Promise<void>,
  ): Promise<void> {
    const hash = hashSecret(token);
    const owner = await findLinkOwner(database.pool, hash);
    if (owner === null) throw tokenInvalid();
    try {
      await database.transaction(async (transaction) => {
        const account = await lockAccount(transaction, owner);
        if (account === null) throw tokenInvalid();
        await use(transaction, account, hash);
      });
    } catch (error) {
      // Another account has the address by now.
      if (violatedConstraint(error) === 'account_email_unique') throw tokenInvalid();
      throw error;
    }
    mail.wake();
  }

  const confirm = (token: string, request: RequestFacts): Promise<void> =>
    useLink(token, async (transaction, account, hash) => {
      const { id, email: former } = account;
      const change = account.status === 'active' ? await useConfirmLink(transaction, hash) : null;
      if (change === null) throw tokenInvalid();
      await move(transaction, account, change.email);
      const isBack = await dropReservationsSince(transaction, { account_id: id, ...change });
      // Going back to an address that is still kept undoes the change: there is nothing to tell.
      if (former !== null && former !== change.email && !isBack) {
        const password_digest = digestOf(account);
        await reserve(transaction, { account_id: id, email: former, password_digest });
        const letter = { kind: 'email_changed', address: former, subject_id: id };
        await mail.enqueue(transaction, letter);
      }
      await sessions.endOthers(transaction, id, change.session_id);
      await audit.record(transaction, {
        ...changeOf(id),
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
      // Who resets the password next need not wait after the letters of somebody else.
      await mail.forget(transaction, { own: [id], asked: [], subjects: [] });
      await move(transaction, account, email);
      // The letters that told of them went to the address that is given up.
      await dropIdentitiesSince(transaction, { account_id: id, since });
      await dropFactorsSince(transaction, { account_id: id, since });
      await dropPassword(transaction, account, { password_digest, unusable: passwords.unusable() });
      await dropReservationsSince(transaction, { account_id: id, email });
      await sessions.endOthers(transaction, id, null);
      await audit.record(transaction, {
        ...changeOf(id),
        actor: personActor(id, request),
        action: 'email.undo',
      });
    });

  return { confirm, undo };
}

/** Nothing that was sent to either address for another end does anything after it. */
async function move(
  transaction: Transaction,
  { id, email: former }: HeldAccount,
  email: string,
): Promise<void> {
  // Registrations before the address they are of, as whoever makes an account of them does.
  await dropRegistrations(transaction, email);
  if (!(await setEmail(transaction, { id, email }))) throw tokenInvalid();
  for (const address of [former, email])
    if (address !== null) await dropResetLink(transaction, address);
  await dropChanges(transaction, id);
}

/**
 * Unless it is that from before the change. Its owner sets one by reset, which only an account with
 * a password gets: so none is not left, nor is an account that nothing lets into any more.
 */
async function dropPassword(
  transaction: Transaction,
  account: HeldAccount,
  { password_digest, unusable }: { password_digest: Buffer | null; unusable: string },
): Promise<void> {
  const { id, password_hash: from } = account;
  const isKept =
    from === null
      ? await hasWayIn(transaction, id)
      : password_digest !== null && hashSecret(from).equals(password_digest);
  if (isKept) return;
  await setPasswordHash(transaction, { id, from, to: unusable });
}

/** Recognizes a password hash without keeping it where it is no longer needed. */
const digestOf = ({ password_hash }: HeldAccount): Buffer | null =>
  password_hash === null ? null : hashSecret(password_hash);

const changeOf = (id: string) => ({
  scope: { kind: 'account' as const, id },
  units: [{ type: 'account', id }],
});
