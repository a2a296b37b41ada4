import { sql } from '../platform/postgres/database.ts';
import type { Transaction } from '../platform/postgres/database.ts';

/**
 * Ends the keys and OAuth connections that an account has made so far; they are revoked in the
 * background. Those made in a session need that session to be live, so end the sessions first.
 */
export async function endCredentials(transaction: Transaction, account_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE account SET credentials_valid_from = clock_timestamp() WHERE id = ${account_id}`);
}
