import { sql } from './database.ts';
import type { Connection } from './database.ts';

const BATCH = 1_000;
// What is left waits for the next sweep; other work of the caller does not wait for it.
const MOST_BATCHES = 100;

/** Deletes the oldest rows of one table, `limit` of them. */
type RemoveOldest = (limit: number) => Promise<{ readonly rowCount: number }>;

/** Removes what is over in batches, so that none of them meets the statement timeout. */
async function sweepInBatches(remove: RemoveOldest): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES; batch += 1)
    if ((await remove(BATCH)).rowCount < BATCH) return;
}

export interface Outdated {
  /** A table of the store that asks. */
  table: string;
  /** Its rows are over once this timestamp is `age` ago; an index should lead to it. */
  column: string;
  /** An interval as PostgreSQL writes it: `90 days`. */
  age: string;
  /** Rows that may go at all. */
  only?: ReturnType<typeof sql.fragment>;
}

/** Removes the oldest rows first, and none that another process is sweeping. */
export function sweepOlder(
  connection: Connection,
  { table, column, age, only = sql.fragment`true` }: Outdated,
): Promise<void> {
  const [rows, at] = [sql.identifier([table]), sql.identifier([column])];
  return sweepInBatches((limit) =>
    connection.query(sql.typeAlias('void')`
      DELETE FROM ${rows} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${rows} WHERE ${only} AND ${at} < now() - ${age}::interval
        ORDER BY ${at} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`),
  );
}
