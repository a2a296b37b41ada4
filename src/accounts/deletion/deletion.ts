import { ConcurrentUpdate } from '../../authz/authz.ts';
import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Reauthentication, RequestFacts } from '../../caller/route.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import { fallbackLanguage } from '../../texts/languages.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import type { AccountsParts, OrganizationRules, AccountMembership } from '../dependencies.ts';
import { listChanges, listReservedAddresses } from '../email-change/store.ts';
import { accountDeleted, requireNotManaged } from '../refusals.ts';
import { passwordNeeded } from '../passwords/reauthentication.ts';
import { dropResetLink } from '../passwords/store.ts';
import { dropRegistrations } from '../registration/store.ts';
import { eraseSessions } from '../sessions/store.ts';
import { findLocale } from '../locale.ts';
import { requireOwnProof } from '../sso-access/own-proof.ts';
import { deleteAccountRow, lockAccountBySession, lockAccountForUpdate } from '../store.ts';
import type { LockedAccount } from '../store.ts';
import type { AccountDeletion } from '../schema.ts';

export type DeletionParts = Pick<AccountsParts, 'authz' | 'mail'> & {
  organizations: Pick<
    OrganizationRules,
    'solelyOwnedOrganizations' | 'membershipsOf' | 'forgetAddresses'
  >;
  database: Pick<AccountsParts['database'], 'pool'>;
};

/** Deletes an account in one transaction; only its audit log and usage records remain. */
export function createDeletion(parts: DeletionParts) {
  const { database, authz, mail, organizations } = parts;

  async function requireNotSoleOwner(db: Queryable, id: string): Promise<void> {
    const owned = await organizations.solelyOwnedOrganizations(db, id);
    if (owned.length > 0) throw lastOwner(owned);
  }

  /** Deletes the rows that contain the account's addresses; cascades delete the rest. */
  async function erase(transaction: Transaction, account: LockedAccount): Promise<void> {
    const { id, email } = account;
    const changes = await listChanges(transaction, id);
    const former = await listReservedAddresses(transaction, id);
    const addresses = email === null ? former : [...former, email];
    await mail.deleteEmails(transaction, {
      own: [...addresses, id],
      entered: changes.map((change) => change.email),
      subjects: changes.map((change) => change.id),
    });
    for (const address of addresses) {
      await dropResetLink(transaction, address);
      await dropRegistrations(transaction, address);
    }
    await organizations.forgetAddresses(transaction, addresses);
    const locale = (await findLocale(transaction, id)) ?? fallbackLanguage;
    await eraseSessions(transaction, id);
    await deleteAccountRow(transaction, id);
    if (email !== null)
      await mail.enqueue(transaction, { kind: 'account_deleted', address: email, locale });
  }

  return async function deleteAccount(
    caller: SessionPrincipal,
    body: AccountDeletion,
    reauthentication: Reauthentication,
    request: RequestFacts,
  ): Promise<void> {
    const { person: id, email } = caller;
    await requireNotManaged(database.pool, id);
    await requireOwnProof(database.pool, caller);
    if (!isConfirmed(body.confirm, email)) throw notConfirmed();
    await requireNotSoleOwner(database.pool, id);
    const memberships = await organizations.membershipsOf(database.pool, id);
    await authz.change({
      actor: actorOf(caller, request),
      reason: 'account.delete',
      writes: [{ kind: 'account', id }, ...memberships.map(({ scope }) => scope)],
      objects: [`account:${id}`, ...objectsOf(memberships)].map((object) => ({
        object,
      })),
      targets: [{ type: 'account', id }],
      basis: null,
      deletes_session: true,
      async work(transaction) {
        const account = await lockAccountForUpdate(transaction, id);
        const session = await lockAccountBySession(transaction, caller.credential.id);
        if (account === null || session === null) throw accountDeleted();
        if (account.password_hash !== reauthentication.password_hash) throw passwordNeeded();
        await requireNotSoleOwner(transaction, id);
        // The locks on the account's row and the scopes prevent the person from joining another
        // organization after this read.
        const current = await organizations.membershipsOf(transaction, id);
        if (!isSameSet(objectsOf(current), objectsOf(memberships))) throw new ConcurrentUpdate();
        await erase(transaction, account);
      },
    });
    mail.wake();
  };
}

const objectsOf = (memberships: readonly AccountMembership[]) =>
  memberships.flatMap(({ objects }) => objects);

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

/** Compares the typed confirmation: the address, or `delete` for an account without one. */
const isConfirmed = (typed: string, email: string) =>
  email === '' ? typed === 'delete' : normalizeAddress(typed) === email;

const notConfirmed = () =>
  unprocessable(
    'confirmation_mismatch',
    'To confirm, enter the account’s e-mail address, or "delete" if it has none.',
    { detail: { pointer: '/confirm' } },
  );

const lastOwner = (organizations: readonly { id: string; name: string }[]) =>
  unprocessable(
    'last_owner',
    'Transfer ownership of these organizations, or delete them, before you delete your account.',
    { detail: { organizations: organizations.map(({ id, name }) => ({ id, name })) } },
  );
