import type { Transaction } from '../../platform/postgres/database.ts';
import type { AddedSince } from '../added-since.ts';
import { deletePendingSignIns } from '../second-factor/store.ts';
import { invalidateProofs } from '../store.ts';
import { endOtherSessions, endSessionsOpenedSince, lockAccounts } from './store.ts';

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
  await endAll(transaction, [accountId], exceptId);
}

/**
 * Ends every session and pending sign-in of these accounts, with a number of statements that does
 * not depend on theirs. Their rows are locked in one order, so that concurrent calls do not deadlock.
 */
export async function endAllSessions(
  transaction: Transaction,
  accountIds: readonly string[],
): Promise<void> {
  await lockAccounts(transaction, accountIds);
  await endAll(transaction, accountIds, null);
}

/**
 * Ends the sessions that were opened to each account at or after `since`, and every pending sign-in;
 * the accounts must be locked. Returns the sessions.
 */
export async function endSessionsSince(
  transaction: Transaction,
  added: readonly AddedSince[],
): Promise<readonly { account_id: string }[]> {
  await endPendingSignIns(
    transaction,
    added.map(({ account_id }) => account_id),
  );
  return endSessionsOpenedSince(transaction, added);
}

async function endAll(
  transaction: Transaction,
  accountIds: readonly string[],
  exceptId: string | null,
): Promise<void> {
  await endPendingSignIns(transaction, accountIds);
  await endOtherSessions(transaction, accountIds, exceptId);
}

async function endPendingSignIns(
  transaction: Transaction,
  accountIds: readonly string[],
): Promise<void> {
  await invalidateProofs(transaction, accountIds);
  await deletePendingSignIns(transaction, accountIds);
}
