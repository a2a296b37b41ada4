import type { Transaction } from '../../platform/postgres/database.ts';
import { deletePendingSignIns } from '../second-factor/store.ts';
import { invalidateProofs } from '../store.ts';
import { endOtherSessions } from './store.ts';

/**
 * Ends every session of the account except `exceptId`, and every pending sign-in. Runs in the
 * transaction of the change that requires this; the caller records that change in the audit log.
 * The account's row is locked first, so that a concurrent sign-in happens entirely before or after.
 */
export async function endSessionsExcept(
  transaction: Transaction,
  accountId: string,
  exceptId: string | null,
): Promise<void> {
  await invalidateProofs(transaction, accountId);
  await deletePendingSignIns(transaction, accountId);
  await endOtherSessions(transaction, accountId, exceptId);
}

/**
 * Ends every session and pending sign-in of these accounts, in the order given; sort them, so that
 * concurrent calls do not deadlock.
 */
export async function endAllSessions(
  transaction: Transaction,
  accountIds: readonly string[],
): Promise<void> {
  for (const id of accountIds) await endSessionsExcept(transaction, id, null);
}
