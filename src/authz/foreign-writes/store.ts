import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Delta, Tuple } from '../tuple.ts';
import type { Fence } from './matching.ts';

const CLAIM_SECONDS = 20;

const ClaimedRow = z.object({
  token: z.string().nullable(),
  begins_at: z.string(),
  version: z.number(),
  /** Time of the database: the clocks of gateways do not matter. */
  now: z.string(),
});
export type ClaimedLog = z.infer<typeof ClaimedRow>;

/**
 * Claims the reading of a store's change log for a process, or claims it again; returns null while another
 * process has it, or if this database has another store by now.
 */
export function claimLog(
  db: Queryable,
  { process_id, store_id }: { process_id: string; store_id: string },
): Promise<ClaimedLog | null> {
  return db.maybeOne(sql.type(ClaimedRow)`
    UPDATE authz_change_log
    SET claimed_by = ${process_id}, claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    WHERE store_id = ${store_id} AND (claimed_by = ${process_id} OR claimed_until <= now())
    RETURNING token, begins_at, version, now()`);
}

/** Lets another process claim the log at once. */
export async function releaseLog(db: Queryable, process_id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE authz_change_log SET claimed_until = now() WHERE claimed_by = ${process_id}`);
}

/**
 * Saves the position after what was read, and the time of the newest foreign write. Returns false, and
 * saves nothing, if the position has changed since it was claimed.
 */
export async function advanceLog(
  db: Queryable,
  claimed: ClaimedLog,
  { token, last_foreign_at }: { token: string | null; last_foreign_at: string | null },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE authz_change_log
    SET token = ${token}, version = version + 1,
      last_foreign_at = greatest(last_foreign_at, ${last_foreign_at}::timestamptz)
    WHERE version = ${claimed.version}`);
  return rowCount > 0;
}

/**
 * Starts reading a store's change log at a time, unless it is being read already; with `again`, in any
 * case.
 */
export async function beginLog(
  db: Queryable,
  { store_id, begins_at, again }: { store_id: string; begins_at: string; again: boolean },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO authz_change_log AS log (store_id, begins_at) VALUES (${store_id}, ${begins_at})
    ON CONFLICT (single) DO UPDATE SET store_id = excluded.store_id, token = NULL,
      begins_at = excluded.begins_at, version = log.version + 1
    WHERE ${again} OR log.store_id <> excluded.store_id`);
}

/**
 * Notes that all differences between tuples and rows were repaired, which ends the warning of foreign
 * writes before. If PostgreSQL was restored, earlier changes are not compared any more: their rows are
 * lost.
 */
export async function saveRepair(
  db: Queryable,
  { began_at, isRestored }: { began_at: string; isRestored: boolean },
): Promise<void> {
  const restart = isRestored
    ? sql.fragment`, token = NULL, begins_at = ${began_at}, version = version + 1`
    : sql.fragment``;
  await db.query(sql.typeAlias('void')`
    UPDATE authz_change_log SET repaired_at = ${began_at} ${restart}`);
}

/** Returns the time of the database. */
export const readTime = (db: Queryable): Promise<string> =>
  db.oneFirst(sql.type(z.object({ now: z.string() }))`SELECT now()`);

/** Returns whether a foreign write of the last 24 hours has not been repaired. */
export const hasForeignWrite = (db: Queryable): Promise<boolean> =>
  db.exists(sql.typeAlias('void')`
    SELECT FROM authz_change_log
    WHERE last_foreign_at > greatest(now() - '24 hours'::interval, repaired_at)`);

const TupleRow = z.object({ user: z.string(), relation: z.string(), object: z.string() });
const DeltaRow = z.object({ deletes: z.array(TupleRow), writes: z.array(TupleRow) });
const PartRow = DeltaRow.extend({
  kind: z.enum(['platform', 'account', 'organization', 'membership', 'service']),
  id: z.string(),
  fence: z.string(),
  fence_before: z.string().nullable(),
});
export type KnownPart = z.infer<typeof PartRow>;

/** Returns the parts of the outbox with these fencing tokens, whether they were applied or given up. */
export function listParts(db: Queryable, fences: readonly Fence[]): Promise<readonly KnownPart[]> {
  const rows = fences.map(({ kind, id, fence }) => [kind, id, fence]);
  return db.any(sql.type(PartRow)`
    SELECT kind, id, fence, deletes, writes, (
      SELECT fence FROM authz_outbox AS before
      WHERE before.kind = part.kind AND before.id = part.id
        AND (before.seq, before.part) < (part.seq, part.part)
      ORDER BY before.seq DESC, before.part DESC LIMIT 1) AS fence_before
    FROM authz_outbox AS part
    JOIN ${sql.unnest(rows, ['text', 'uuid', 'text'])} AS written (kind, id, fence)
      USING (kind, id, fence)`);
}

const UnfencedRow = DeltaRow.extend({ unfenced_id: z.string() });
export type UnfencedWrite = z.infer<typeof UnfencedRow>;

/** Returns the recorded Writes without a fencing token of their own, oldest first. */
export function listUnfenced(db: Queryable): Promise<readonly UnfencedWrite[]> {
  return db.any(sql.type(UnfencedRow)`
    SELECT id AS unfenced_id, deletes, writes FROM authz_unfenced_write ORDER BY created_at`);
}

/** Records such a Write before it is sent; returns its id. */
export async function recordUnfenced(db: Queryable, { deletes, writes }: Delta): Promise<string> {
  const id = randomUUID();
  await db.query(sql.typeAlias('void')`
    INSERT INTO authz_unfenced_write (id, deletes, writes)
    VALUES (${id}, ${sql.jsonb(json(deletes))}, ${sql.jsonb(json(writes))})`);
  return id;
}

/** Forgets such Writes: the change log has shown them, or OpenFGA refused them. */
export async function forgetUnfenced(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query(sql.typeAlias('void')`
    DELETE FROM authz_unfenced_write WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

// Slonik's JSON type requires an index signature, which interfaces do not have.
const json = (value: readonly Tuple[]) => value as unknown as Parameters<typeof sql.jsonb>[0];
