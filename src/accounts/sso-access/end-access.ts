import type { Actor } from '../../caller/actor.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { AccountsParts } from '../dependencies.ts';
import { endSessionsSince } from '../sessions/end-sessions.ts';
import { lockAccounts } from '../sessions/store.ts';
import { dropMethodsSince } from '../sign-in/methods.ts';
import { endCredentials } from '../store.ts';
import { deleteAccessSince, listAccess, listAddresses, lockAccountsWithAccess } from './store.ts';

/** Ends what the identity providers of an organization have let someone do in accounts. */
export type EndAccess = (
  transaction: Transaction,
  accounts: { organization_id: string; account_ids: readonly string[] | 'all' },
  actor: Actor,
) => Promise<void>;

/**
 * Creates the function that ends what may have been left in accounts by anyone who controls the identity
 * providers of an organization, which can sign in to them: the links, and the sign-in methods,
 * sessions, keys and OAuth connections that were added since the first of them. What the accounts
 * had before stays. The accounts are locked, so that no link is made in the meantime. Each gets an
 * entry in its audit log, and an e-mail if it has lost a second factor.
 *
 * For all accounts of an organization, only those that have been linked are locked, and the
 * organization must be locked FOR UPDATE: no other account is linked then, since `sso_access` refers
 * to it.
 */
export const createEndAccess =
  ({ audit, mail }: Pick<AccountsParts, 'audit' | 'mail'>): EndAccess =>
  async (transaction, { organization_id, account_ids }, actor) => {
    if (account_ids.length === 0) return;
    await (account_ids === 'all'
      ? lockAccountsWithAccess(transaction, organization_id)
      : lockAccounts(transaction, account_ids));
    const added = await listAccess(transaction, { organization_id, account_ids });
    if (added.length === 0) return;
    const sessions = await endSessionsSince(transaction, added);
    const dropped = await dropMethodsSince(transaction, added);
    await endCredentials(transaction, added);
    await deleteAccessSince(transaction, added);
    const counts = countByAccount({ ...dropped, sessions });
    await audit.recordChange(transaction, [
      ...added.map(({ account_id, since }) => ({
        actor,
        action: 'sso_access.end' as const,
        scope: { kind: 'account' as const, id: account_id },
        units: [{ type: 'organization', id: organization_id }],
        detail: { since, ...counts(account_id) },
      })),
      ...dropped.identities.map(({ id, account_id, provider }) => ({
        actor,
        action: 'identity.unlink' as const,
        scope: { kind: 'account' as const, id: account_id },
        units: [{ type: 'identity', id }],
        detail: { provider },
      })),
    ]);
    const factors = [...dropped.passkeys, ...dropped.authenticator_apps];
    const lost = new Set(factors.map(({ account_id }) => account_id));
    // The mail worker finds the e-mails by polling.
    const addresses = await listAddresses(transaction, [...lost]);
    const notices = addresses.map(({ id, email }) => ({
      ...{ kind: 'second_factor_changed', address: email, subject_id: id },
    }));
    await mail.enqueue(transaction, ...notices);
  };

/** Returns a function that returns how many of each were ended in an account. */
function countByAccount(ended: Readonly<Record<string, readonly { account_id: string }[]>>) {
  const counts = Object.entries(ended).map(([what, all]) => {
    const ofAccount = Map.groupBy(all, ({ account_id }) => account_id);
    return (account_id: string) => [what, ofAccount.get(account_id)?.length ?? 0] as const;
  });
  return (account_id: string): Record<string, number> =>
    Object.fromEntries(counts.map((count) => count(account_id)));
}
