import type { Transaction } from '../../platform/postgres/database.ts';
import type { AddedSince } from '../added-since.ts';
import { deleteIdentitiesLinkedSince } from '../identities/store.ts';
import type { DeletedIdentity } from '../identities/store.ts';
import { dropFactorsSince } from '../second-factor/change.ts';
import type { DroppedFactors } from '../second-factor/change.ts';

/**
 * Removes the identities, passkeys and authenticator apps that were added to each account at or
 * after `since`, and returns them; the accounts must be locked.
 */
export async function dropMethodsSince(
  transaction: Transaction,
  added: readonly AddedSince[],
): Promise<DroppedFactors & { identities: readonly DeletedIdentity[] }> {
  const factors = await dropFactorsSince(transaction, added);
  return { ...factors, identities: await deleteIdentitiesLinkedSince(transaction, added) };
}
