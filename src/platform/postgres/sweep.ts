import { sql } from './database.ts';
import type { Queryable } from './database.ts';

const BATCH = 1_000;
// Remaining rows wait for the next sweep, so that the caller's other work is not delayed.
const MAX_BATCHES = 100;

/** Deletes up to `limit` of the oldest rows of one table. */
type RemoveOldest = (limit: number) => Promise<{ readonly rowCount: number }>;

/** Deletes expired rows in batches, so that no statement hits the statement timeout. */
async function sweepInBatches(remove: RemoveOldest, batch: number): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches += 1)
    if ((await remove(batch)).rowCount < batch) return;
}

export interface SweepOptions {
  /** A table of the calling store. */
  table: string;
  /** Rows expire `age` after this timestamp; the column should be indexed. */
  column: string;
  /** A PostgreSQL interval: `90 days`. */
  age: string;
  /** Condition on the rows that may be deleted. */
  where?: ReturnType<typeof sql.fragment>;
  /** Rows that one statement deletes, fewer if they are long. */
  batch?: number;
}

/** Deletes the oldest rows first; skips rows that another process is sweeping. */
export function sweepOlder(
  db: Queryable,
  { table, column, age, where = sql.fragment`true`, batch = BATCH }: SweepOptions,
): Promise<void> {
  const [rows, timestamp] = [sql.identifier([table]), sql.identifier([column])];
  return sweepInBatches(
    (limit) =>
      db.query(sql.typeAlias('void')`
        DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${rows} WHERE ${where} AND ${timestamp} < now() - ${age}::interval
          ORDER BY ${timestamp} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`),
    batch,
  );
}
