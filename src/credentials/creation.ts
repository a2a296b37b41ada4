import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';

/**
 * Locks the account that a credential is about to be inserted for, with `clock_timestamp()` as its
 * time of creation. The credentials that the account has made up to a time are ended under a lock on
 * its row: without this one, a credential could be created with a time from before such an end.
 */
export async function lockForCredential(transaction: Queryable, account_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    SELECT FROM account WHERE id = ${account_id} FOR SHARE`);
}
