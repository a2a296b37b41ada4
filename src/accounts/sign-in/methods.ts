import type { Transaction } from '../../platform/postgres/database.ts';
import { deleteIdentitiesLinkedSince } from '../identities/store.ts';
import { dropFactorsSince } from '../second-factor/change.ts';

/**
 * Removes the identities, passkeys and authenticator apps that were added to an account at or after
 * `since`; the account must be locked.
 */
export async function dropMethodsSince(
  transaction: Transaction,
  added: { account_id: string; since: string },
): Promise<void> {
  await deleteIdentitiesLinkedSince(transaction, added);
  await dropFactorsSince(transaction, added);
}
