import { sql } from '../../platform/database.ts';
import type { Transaction } from '../../platform/database.ts';

/** Every later statement of the transaction sees the same moment, and changes nothing. */
export async function holdMoment(transaction: Transaction): Promise<void> {
  await transaction.query(sql.unsafe`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`);
}
