import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';

/** Returns whether anyone has an account. */
export function hasAnyAccount(connection: Connection): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`SELECT FROM account`);
}
