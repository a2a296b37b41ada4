import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { Account } from '../schema.ts';

/** An account as its person sees it. */
export async function findAccount(connection: Connection, id: string): Promise<Account | null> {
  return connection.maybeOne(sql.type(Account)`
    SELECT id, email, email IS NULL AS email_needed, first_name, last_name, locale, verified_at IS NOT NULL AS verified, plan,
      created_at
    FROM account WHERE id = ${id}`);
}
