import type { Queryable } from '../../../src/platform/postgres/database.ts';
import type { World } from './world.ts';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
/** A scan of a table: of which kind, and how many rows it read. */
export interface Scan {
  table: string;
  type: string;
  rows: number;
}

/** Returns the scans in a plan. */
const scansOf = (plan: Plan): Scan[] => [
  ...(plan['Relation Name'] === undefined
    ? []
    : [
        {
          table: plan['Relation Name'],
          type: plan['Node Type'],
          rows:
            (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'],
        },
      ]),
  ...(plan.Plans ?? []).flatMap(scansOf),
];

/** Creates a connection that runs statements and records the scans of their plans. */
export function createExplainingQueryable(world: Pick<World, 'query'>) {
  const scans: Scan[] = [];
  const any = async ({ sql, values }: { sql: string; values: unknown[] }) => {
    const text = sql.replaceAll('$slonik_', '$');
    const [explained] = await world.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    scans.push(...scansOf(explained!['QUERY PLAN'][0]!.Plan));
    return world.query(text, values);
  };
  const maybeOne = async (query: Parameters<typeof any>[0]) => (await any(query))[0] ?? null;
  /** Returns a count, which the driver of the tests reads as text. */
  const oneFirst = async (query: Parameters<typeof any>[0]) =>
    Number(Object.values((await any(query))[0] as object)[0]);
  return { scans, db: { any, maybeOne, oneFirst } as unknown as Queryable };
}
