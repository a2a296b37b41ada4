import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

/** Returns whether anyone has an account; reads one row. */
export function hasAnyAccount(db: Queryable): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`SELECT FROM account`);
}
