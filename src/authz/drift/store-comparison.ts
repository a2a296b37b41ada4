import { z } from 'zod';
import type { ScopeKind, ScopeRef } from '../../caller/scope.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import type { CheckItem, Engine } from '../engine/client.ts';
import { epochAgrees, findLastComparison, saveComparison } from '../engine/deployment.ts';
import { fenceTuple, readFence } from '../changes/fence.ts';
import { isAtOrAfter } from '../changes/store.ts';

export interface ComparisonDependencies {
  database: Database;
  engine: Engine['comparison'];
}

// Any check will do: it fails if the store does not have the model.
const ANY_CHECK = { subject: 'user:nobody', relation: 'can_see', object: 'account:nobody' };

/**
 * Compares OpenFGA's store with the rows: the epoch, which a foreign or empty store does not have,
 * and the fences of all changes applied since the last comparison that agreed, by any gateway, and
 * of the last ones before it. A store restored to an earlier state lacks at least one of these, however
 * much was applied to it since (docs/decisions/0006). Returns what differs, or null.
 */
export async function findMismatch({
  database: { pool },
  engine,
}: ComparisonDependencies): Promise<string | null> {
  const last = await findLastComparison(pool);
  if (last === null) return FOREIGN;
  const from = sql.fragment`(${last.compared_at}::timestamptz - '3 seconds'::interval)`;
  const found = await compare({ pool, engine }, last.epoch, from);
  if (found === null) await saveComparison(pool, last.now);
  return found;
}

/**
 * Compares the same, but only the changes applied in the last `ageMs` milliseconds, and the last ones
 * before: enough to find a store that was restored in this time.
 */
export async function findRecentMismatch(
  { database: { pool }, engine }: ComparisonDependencies,
  ageMs: () => number,
): Promise<string | null> {
  const last = await findLastComparison(pool);
  if (last === null) return FOREIGN;
  // Read after `now`, so that the time spent between them makes the list longer, never shorter.
  const seconds = ageMs() / 1_000;
  const from = sql.fragment`
    greatest(${last.compared_at}::timestamptz,
      ${last.now}::timestamptz - make_interval(secs => ${seconds}))`;
  return compare({ pool, engine }, last.epoch, from);
}

const FOREIGN = 'the store has the epoch of another database';

async function compare(
  { pool, engine }: Pick<Database, 'pool'> & Pick<ComparisonDependencies, 'engine'>,
  epoch: string,
  from: ReturnType<typeof sql.fragment>,
): Promise<string | null> {
  if (!(await epochAgrees(engine, epoch))) return FOREIGN;
  const applied = await listAppliedSince(pool, from);
  const [, ...present] = await engine.batchCheck([ANY_CHECK, ...applied.map(fenceCheck)]);
  for (const [index, part] of applied.entries())
    if (!present[index] && !(await isAtOrAfter(pool, part, await readFence(engine, part))))
      return 'the store lacks a change that was applied to it';
  return null;
}

function fenceCheck(part: AppliedPart): CheckItem {
  const { user: subject, relation, object } = fenceTuple(part, part.fence);
  return { subject, relation, object };
}

interface AppliedPart extends ScopeRef {
  seq: number;
  part: number;
  fence: string;
}
const AppliedRow = z.object({
  kind: z.custom<ScopeKind>(),
  id: z.string(),
  seq: z.number(),
  part: z.number(),
  fence: z.string(),
});

/**
 * Returns, for each scope changed since `from`, its last applied part. `applied_at` is the start of the
 * statement that recorded it, so a comparison may not see one that is up to a statement's timeout
 * older: the next full one starts that much earlier. Of the parts before, the 20 last: their order in
 * OpenFGA may differ from the order in which they were recorded.
 */
function listAppliedSince(db: Queryable, from: ReturnType<typeof sql.fragment>) {
  const columns = sql.fragment`kind, id, seq, part, fence`;
  return db.any(sql.type(AppliedRow)`
    SELECT DISTINCT ON (kind, id) ${columns} FROM (
      SELECT ${columns} FROM authz_outbox WHERE applied_at >= ${from}
      UNION ALL (
        SELECT ${columns} FROM authz_outbox
        WHERE applied_at < ${from} ORDER BY applied_at DESC LIMIT 20)
    ) AS applied
    ORDER BY kind, id, seq DESC, part DESC`);
}
