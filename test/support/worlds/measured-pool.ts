import { sql } from '../../../src/platform/postgres/database.ts';
import type { Queryable, Database } from '../../../src/platform/postgres/database.ts';

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Returns the most rows that a step of a plan read. */
const mostRows = (plan: Plan): number =>
  Math.max(plan['Actual Rows'] * plan['Actual Loops'], ...(plan.Plans ?? []).map(mostRows));

/** Creates a connection for reads that also measures how many rows a step of each read at most. */
export function createMeasuredPool({ pool }: Pick<Database, 'pool'>) {
  const rows: number[] = [];
  const measured = (name: 'any' | 'maybeOne' | 'oneFirst') => async (statement: never) => {
    const explained = await pool.oneFirst(
      sql.unsafe`EXPLAIN (ANALYZE, FORMAT JSON) ${statement as ReturnType<typeof sql.fragment>}`,
    );
    rows.push(mostRows((explained as [{ Plan: Plan }])[0].Plan));
    return pool[name](statement);
  };
  const connection = {
    any: measured('any'),
    maybeOne: measured('maybeOne'),
    oneFirst: measured('oneFirst'),
  } as unknown as Queryable;
  return { rows, connection };
}
