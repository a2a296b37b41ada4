import { z } from 'zod';
import type { Actor } from '../caller/actor.ts';
import type { ScopeRef, ScopeState } from '../caller/caller.ts';
import { sql } from '../platform/database.ts';
import type { Connection, Transaction } from '../platform/database.ts';
import type { Delta, Tuple } from './tuple.ts';

const ScopeRow = z.object({
  kind: z.enum(['platform', 'account', 'organization', 'membership', 'service']),
  id: z.string(),
  revision: z.number(),
  applied: z.number(),
  stamp: z.string(),
  content: z.number(),
});
const LockedScopeRow = ScopeRow.extend({ position: z.number() });
export type LockedScope = z.infer<typeof LockedScopeRow>;

const scopeColumns = sql.fragment`kind, id, revision, applied, stamp, content`;

/** The scope's row under `FOR UPDATE`, made first if this is its beginning. */
export async function lockScope(transaction: Transaction, scope: ScopeRef): Promise<LockedScope> {
  const locked = await transaction.maybeOne(sql.type(LockedScopeRow)`
    SELECT ${scopeColumns}, position FROM authz_scope
    WHERE kind = ${scope.kind} AND id = ${scope.id} FOR UPDATE`);
  if (locked) return locked;
  await transaction.query(sql.unsafe`
    INSERT INTO authz_scope (kind, id) VALUES (${scope.kind}, ${scope.id})
    ON CONFLICT DO NOTHING`);
  return lockScope(transaction, scope);
}

/** Scopes a decision only read, held as they are until the commit. */
export async function shareScopes(
  transaction: Transaction,
  scopes: readonly ScopeRef[],
): Promise<ScopeState[]> {
  const states: ScopeState[] = [];
  for (const scope of scopes)
    states.push(
      await transaction.one(sql.type(ScopeRow)`
        SELECT ${scopeColumns} FROM authz_scope
        WHERE kind = ${scope.kind} AND id = ${scope.id} FOR SHARE`),
    );
  return states;
}

/** Outbox rows of the next revision, the revision itself and a new stamp. */
export async function raiseRevision(
  transaction: Transaction,
  scope: LockedScope,
  parts: readonly Delta[],
  change: { actor: Actor; reason: string },
): Promise<void> {
  const seq = scope.revision + 1;
  for (const [index, part] of parts.entries())
    await transaction.query(sql.unsafe`
      INSERT INTO authz_outbox
        (kind, id, seq, part, position, last_part, deletes, writes, actor, reason)
      VALUES (${scope.kind}, ${scope.id}, ${seq}, ${index}, ${scope.position + index + 1},
        ${index === parts.length - 1}, ${sql.jsonb(json(part.deletes))},
        ${sql.jsonb(json(part.writes))}, ${sql.jsonb(json(change.actor))}, ${change.reason})`);
  await transaction.query(sql.unsafe`
    UPDATE authz_scope
    SET revision = ${seq}, stamp = gen_random_uuid(), position = ${scope.position + parts.length},
        dirty_since = coalesce(dirty_since, now())
    WHERE kind = ${scope.kind} AND id = ${scope.id}`);
}

export async function raiseContent(transaction: Transaction, scope: ScopeRef): Promise<void> {
  await transaction.query(sql.unsafe`
    UPDATE authz_scope SET content = content + 1
    WHERE kind = ${scope.kind} AND id = ${scope.id}`);
}

export async function readScopes(
  connection: Connection,
  scopes: readonly ScopeRef[],
): Promise<readonly ScopeState[]> {
  return connection.any(sql.type(ScopeRow)`
    SELECT ${scopeColumns} FROM authz_scope
    WHERE (kind, id) IN (SELECT * FROM ${sql.unnest(
      scopes.map((scope) => [scope.kind, scope.id]),
      ['text', 'uuid'],
    )})`);
}

const TupleRow = z.object({ user: z.string(), relation: z.string(), object: z.string() });
const PartRow = z.object({
  seq: z.number(),
  part: z.number(),
  position: z.number(),
  last_part: z.boolean(),
  deletes: z.array(TupleRow),
  writes: z.array(TupleRow),
});
export type OutboxPart = z.infer<typeof PartRow>;

/** What is not known to be in OpenFGA yet, in order. */
export function waitingParts(connection: Connection, scope: ScopeRef) {
  return connection.any(sql.type(PartRow)`
    SELECT seq, part, position, last_part, deletes, writes FROM authz_outbox
    WHERE kind = ${scope.kind} AND id = ${scope.id} AND applied_at IS NULL
    ORDER BY position LIMIT 100`);
}

/** The only place where `applied` rises: by one revision, in order, when its last part is in. */
export async function markApplied(
  connection: Connection,
  scope: ScopeRef,
  part: OutboxPart,
): Promise<void> {
  await connection.query(sql.unsafe`
    WITH done AS (
      UPDATE authz_outbox SET applied_at = coalesce(applied_at, now())
      WHERE kind = ${scope.kind} AND id = ${scope.id} AND seq = ${part.seq} AND part = ${part.part}
    )
    UPDATE authz_scope
    SET applied = ${part.seq},
        dirty_since = CASE WHEN revision = ${part.seq} THEN NULL ELSE dirty_since END
    WHERE kind = ${scope.kind} AND id = ${scope.id} AND applied = ${part.seq - 1}
      AND ${part.last_part}`);
}

const AppliedRow = ScopeRow.pick({ kind: true, id: true }).extend({ position: z.number() });

/** The changes that reached OpenFGA last: a store that lacks one is an older one. */
export function lastAppliedParts(connection: Connection) {
  return connection.any(sql.type(AppliedRow)`
    SELECT kind, id, max(position) AS position FROM (
      SELECT kind, id, position FROM authz_outbox
      WHERE applied_at IS NOT NULL ORDER BY applied_at DESC LIMIT 5) AS last
    GROUP BY kind, id`);
}

const ScopeRefRow = ScopeRow.pick({ kind: true, id: true });

/** Scopes behind their revision, the longest waiting first. */
export function dirtyScopes(connection: Connection, limit: number) {
  return connection.any(sql.type(ScopeRefRow)`
    SELECT kind, id FROM authz_scope WHERE applied < revision
    ORDER BY dirty_since LIMIT ${limit}`);
}

/** Seconds the longest waiting change has been closed for; 0 when none waits. */
export function oldestDirtySeconds(connection: Connection) {
  return connection.oneFirst(sql.type(z.object({ seconds: z.number() }))`
    SELECT coalesce(extract(epoch FROM now() - min(dirty_since)), 0)::float8 AS seconds
    FROM authz_scope WHERE applied < revision`);
}

/** Pages through every scope by (kind, id), for the drift check. */
export function scopesAfter(connection: Connection, last: ScopeRef | null, limit: number) {
  return connection.any(sql.type(LockedScopeRow)`
    SELECT ${scopeColumns}, position FROM authz_scope
    WHERE ${last ? sql.fragment`(kind, id) > (${last.kind}, ${last.id}::uuid)` : sql.fragment`true`}
    ORDER BY kind, id LIMIT ${limit}`);
}

const DeploymentRow = z.object({
  store_id: z.string(),
  model_id: z.string(),
  model_hash: z.string(),
  epoch: z.string(),
});
export type Deployment = z.infer<typeof DeploymentRow>;

export function findDeployment(connection: Connection): Promise<Deployment | null> {
  return connection.maybeOne(sql.type(DeploymentRow)`
    SELECT store_id, model_id, model_hash, epoch FROM authz_deployment`);
}

export async function saveDeployment(connection: Connection, row: Deployment): Promise<void> {
  await connection.query(sql.unsafe`
    INSERT INTO authz_deployment (store_id, model_id, model_hash, epoch)
    VALUES (${row.store_id}, ${row.model_id}, ${row.model_hash}, ${row.epoch})
    ON CONFLICT (single) DO UPDATE SET store_id = excluded.store_id, model_id = excluded.model_id,
      model_hash = excluded.model_hash, epoch = excluded.epoch, deployed_at = now()`);
}

// Slonik's JSON type asks for an index signature, which interfaces do not have.
const json = (value: Tuple[] | Actor) => value as unknown as Parameters<typeof sql.jsonb>[0];
