import type { Transaction } from '../../platform/postgres/database.ts';
import { endChallenges } from '../second-factor/store.ts';
import { endEntries } from '../store.ts';
import { endOtherSessions } from './store.ts';

/**
 * Ends every session of the account but the one to keep, and every sign-in under way, in the
 * transaction of what makes it needed: that is audited by its caller. The account comes first:
 * a sign-in that is about to save its session comes wholly before or after.
 */
export async function endOthers(
  transaction: Transaction,
  accountId: string,
  keep: string | null,
): Promise<void> {
  await endEntries(transaction, accountId);
  await endChallenges(transaction, accountId);
  await endOtherSessions(transaction, accountId, keep);
}
