import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Actor } from '../caller/actor.ts';
import type { ScopeRef } from '../caller/scope.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Connection, Transaction } from '../platform/postgres/database.ts';
import { sweepOlder } from '../platform/postgres/sweep.ts';
import type { Delta, Tuple } from './tuple.ts';

const ScopeRow = z.object({
  kind: z.enum(['platform', 'account', 'organization', 'membership', 'service']),
  id: z.string(),
  revision: z.number(),
  applied: z.number(),
  nonce: z.string(),
  content: z.number(),
});
const LockedScopeRow = ScopeRow.extend({ position: z.number(), is_stuck: z.boolean() });
export type LockedScope = z.infer<typeof LockedScopeRow>;

const scopeColumns = sql.fragment`kind, id, revision, applied, nonce, content`;
const lockedColumns = sql.fragment`
  ${scopeColumns}, position, stuck_since IS NOT NULL AS is_stuck`;

/** The scope's row under `FOR UPDATE`, made first if this is its beginning. */
export async function lockScope(transaction: Transaction, scope: ScopeRef): Promise<LockedScope> {
  const locked = await transaction.maybeOne(sql.type(LockedScopeRow)`
    SELECT ${lockedColumns} FROM authz_scope
    WHERE kind = ${scope.kind} AND id = ${scope.id} FOR UPDATE`);
  if (locked) return locked;
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO authz_scope (kind, id) VALUES (${scope.kind}, ${scope.id})
    ON CONFLICT DO NOTHING`);
  return lockScope(transaction, scope);
}

/**
 * Holds a scope that a decision only read as it is until the commit. The platform is compared
 * alone: it changes when a model is deployed, and every change would wait for every other there.
 */
export function shareScope(transaction: Transaction, scope: ScopeRef): Promise<LockedScope> {
  const lock = scope.kind === 'platform' ? sql.fragment`` : sql.fragment`FOR SHARE`;
  return transaction.one(sql.type(LockedScopeRow)`
    SELECT ${lockedColumns} FROM authz_scope
    WHERE kind = ${scope.kind} AND id = ${scope.id} ${lock}`);
}

/** One revision of a scope. */
export interface Revision extends ScopeRef {
  seq: number;
}

interface Raise {
  actor: Actor;
  reason: string;
  /** The model the tuples are of, under which any gateway writes them. */
  model_id: string;
  after?: Revision | null;
}

/** Writes the outbox rows of the next revision, the revision itself and a new nonce. */
export async function raiseRevision(
  transaction: Transaction,
  scope: LockedScope,
  parts: readonly Delta[],
  { actor, reason, model_id, after }: Raise,
): Promise<Revision> {
  const seq = scope.revision + 1;
  for (const [index, part] of parts.entries()) {
    const position = scope.position + index + 1;
    await transaction.query(sql.typeAlias('void')`
      INSERT INTO authz_outbox
        (kind, id, seq, part, position, fence, last_part, deletes, writes, actor, reason,
          model_id, after_kind, after_id, after_seq)
      VALUES (${scope.kind}, ${scope.id}, ${seq}, ${index}, ${position}, ${newFence(position)},
        ${index === parts.length - 1}, ${sql.jsonb(json(part.deletes))},
        ${sql.jsonb(json(part.writes))}, ${sql.jsonb(json(actor))}, ${reason},
        ${model_id}, ${after?.kind ?? null}, ${after?.id ?? null}, ${after?.seq ?? null})`);
  }
  await transaction.query(sql.typeAlias('void')`
    UPDATE authz_scope
    SET revision = ${seq}, nonce = gen_random_uuid(), position = ${scope.position + parts.length},
        dirty_since = coalesce(dirty_since, now())
    WHERE kind = ${scope.kind} AND id = ${scope.id}`);
  return { kind: scope.kind, id: scope.id, seq };
}

/** Never given out twice: numbers come back when a database falls back to an earlier state. */
const newFence = (position: number) => `${position}.${randomUUID().slice(0, 8)}`;

/**
 * Goes past what waits, which stays as it is to be looked at. The repair whose revision is raised in
 * the same transaction says in its stead what the rows say: until that is applied, nothing opens,
 * and parts of other scopes that waited for what was given up wait for it.
 */
export async function giveUpWaiting(transaction: Transaction, scope: LockedScope): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE authz_outbox SET after_seq = ${scope.revision + 1}
    WHERE after_kind = ${scope.kind} AND after_id = ${scope.id} AND after_seq > ${scope.applied}
      AND applied_at IS NULL AND given_up_at IS NULL`);
  await transaction.query(sql.typeAlias('void')`
    UPDATE authz_outbox SET given_up_at = now()
    WHERE kind = ${scope.kind} AND id = ${scope.id}
      AND applied_at IS NULL AND given_up_at IS NULL`);
  await transaction.query(sql.typeAlias('void')`
    UPDATE authz_scope SET applied = revision
    WHERE kind = ${scope.kind} AND id = ${scope.id}`);
}

/** By the clock as well: under a number that came back an edit that was lost would still be kept. */
export async function raiseContent(transaction: Transaction, scope: ScopeRef): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE authz_scope
    SET content = greatest(content + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE kind = ${scope.kind} AND id = ${scope.id}`);
}

export async function readScopes(
  connection: Connection,
  scopes: readonly ScopeRef[],
): Promise<readonly LockedScope[]> {
  return connection.any(sql.type(LockedScopeRow)`
    SELECT ${lockedColumns} FROM authz_scope
    WHERE (kind, id) IN (SELECT * FROM ${sql.unnest(
      scopes.map((scope) => [scope.kind, scope.id]),
      ['text', 'uuid'],
    )})`);
}

const TupleRow = z.object({ user: z.string(), relation: z.string(), object: z.string() });
const PartRow = z.object({
  seq: z.number(),
  part: z.number(),
  /** What the store calls the scope's state before and after it; null: it is the first. */
  fence_before: z.string().nullable(),
  fence: z.string(),
  last_part: z.boolean(),
  /** The model its tuples are of. */
  model_id: z.string(),
  /** What is to be applied before it and is not yet; null: nothing. */
  after: ScopeRow.pick({ kind: true, id: true }).extend({ seq: z.number() }).nullable(),
  deletes: z.array(TupleRow),
  writes: z.array(TupleRow),
});
export type OutboxPart = z.infer<typeof PartRow>;

/** What is not known to be in OpenFGA yet, in order. */
export function waitingParts(connection: Connection, scope: ScopeRef) {
  return connection.any(sql.type(PartRow)`
    SELECT seq, part, fence, last_part, model_id, deletes, writes, (
      SELECT jsonb_build_object('kind', kind, 'id', id, 'seq', waiting.after_seq) FROM authz_scope
      WHERE kind = waiting.after_kind AND id = waiting.after_id AND applied < waiting.after_seq
    ) AS after, (
      SELECT fence FROM authz_outbox
      WHERE kind = waiting.kind AND id = waiting.id AND (seq, part) < (waiting.seq, waiting.part)
      ORDER BY seq DESC, part DESC LIMIT 1) AS fence_before
    FROM authz_outbox AS waiting
    WHERE kind = ${scope.kind} AND id = ${scope.id}
      AND applied_at IS NULL AND given_up_at IS NULL
    ORDER BY position LIMIT 100`);
}

/** Tells whether a waiting change moves tuples of any of these objects. */
export function isWaitingFor(connection: Connection, objects: readonly string[]): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM authz_outbox, jsonb_array_elements(deletes || writes) AS tuple
    WHERE applied_at IS NULL AND given_up_at IS NULL
      AND tuple->>'object' = ANY(${sql.array([...objects], 'text')})`);
}

/** Where the store should stand when all is applied; null: before the first change. */
export function lastFence(connection: Connection, scope: ScopeRef): Promise<string | null> {
  return connection.maybeOneFirst(sql.type(z.object({ fence: z.string() }))`
    SELECT fence FROM authz_outbox
    WHERE kind = ${scope.kind} AND id = ${scope.id} ORDER BY seq DESC, part DESC LIMIT 1`);
}

/** Whether a store that stands there holds the change, as far as these rows can tell. */
export function isAtOrAfter(
  connection: Connection,
  { kind, id, seq, part }: ScopeRef & Pick<OutboxPart, 'seq' | 'part'>,
  held: string | null,
): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM authz_outbox
    WHERE kind = ${kind} AND id = ${id} AND (seq, part) >= (${seq}, ${part}) AND fence = ${held}`);
}

/** `applied` rises by one revision, in order, when its last part is in; earlier parts are over. */
export async function markApplied(
  connection: Connection,
  scope: ScopeRef,
  part: OutboxPart,
): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    WITH done AS (
      UPDATE authz_outbox SET applied_at = coalesce(applied_at, now())
      WHERE kind = ${scope.kind} AND id = ${scope.id} AND seq = ${part.seq} AND part = ${part.part}
        AND given_up_at IS NULL
    ), superseded AS (
      UPDATE authz_outbox SET superseded_at = now()
      WHERE kind = ${scope.kind} AND id = ${scope.id} AND (seq, part) < (${part.seq}, ${part.part})
        AND applied_at IS NOT NULL AND superseded_at IS NULL
    )
    UPDATE authz_scope
    SET applied = ${part.seq}, stuck_since = NULL,
        dirty_since = CASE WHEN revision = ${part.seq} THEN NULL ELSE dirty_since END
    WHERE kind = ${scope.kind} AND id = ${scope.id} AND applied = ${part.seq - 1}
      AND ${part.last_part}`);
}

/** Its next change will not go in by being tried again; true when that is news. */
export async function markStuck(connection: Connection, scope: ScopeRef): Promise<boolean> {
  const { rowCount } = await connection.query(sql.typeAlias('void')`
    UPDATE authz_scope SET stuck_since = now()
    WHERE kind = ${scope.kind} AND id = ${scope.id} AND stuck_since IS NULL`);
  return rowCount > 0;
}

const AppliedRow = ScopeRow.pick({ kind: true, id: true }).extend({
  seq: z.number(),
  part: z.number(),
});

/** The changes that reached OpenFGA last: a store that lacks one is an older one. */
export function lastAppliedParts(connection: Connection) {
  return connection.any(sql.type(AppliedRow)`
    SELECT DISTINCT ON (kind, id) kind, id, seq, part FROM (
      SELECT kind, id, seq, part FROM authz_outbox
      WHERE applied_at IS NOT NULL ORDER BY applied_at DESC LIMIT 5) AS last
    ORDER BY kind, id, seq DESC, part DESC`);
}

const ScopeRefRow = ScopeRow.pick({ kind: true, id: true });

/** Removes old applied parts, but the last of each scope: its fence and the store watch need it. */
export function sweepOutbox(connection: Connection): Promise<void> {
  const superseded = { table: 'authz_outbox', column: 'superseded_at', age: '90 days' };
  return sweepOlder(connection, superseded);
}

/** Scopes behind their revision, the longest waiting first; stuck ones hold no other up. */
export function dirtyScopes(connection: Connection, limit: number) {
  return connection.any(sql.type(ScopeRefRow)`
    SELECT kind, id FROM authz_scope WHERE applied < revision
    ORDER BY stuck_since NULLS FIRST, dirty_since LIMIT ${limit}`);
}

const BacklogRow = z.object({ seconds: z.number(), stuck: z.number() });

/**
 * Seconds the longest waiting change has been closed for, 0 when none waits, and how many scopes
 * are stuck: what waits there is not waiting for OpenFGA.
 */
export function readBacklog(connection: Connection) {
  return connection.one(sql.type(BacklogRow)`
    SELECT
      coalesce(extract(epoch FROM now() - min(dirty_since) FILTER (WHERE stuck_since IS NULL)), 0)
        ::float8 AS seconds,
      count(stuck_since)::int AS stuck
    FROM authz_scope WHERE applied < revision`);
}

/** Pages through every scope by (kind, id), for the drift check. */
export function scopesAfter(connection: Connection, last: ScopeRef | null, limit: number) {
  return connection.any(sql.type(LockedScopeRow)`
    SELECT ${lockedColumns} FROM authz_scope
    WHERE ${last ? sql.fragment`(kind, id) > (${last.kind}, ${last.id}::uuid)` : sql.fragment`true`}
    ORDER BY kind, id LIMIT ${limit}`);
}

const DeploymentRow = z.object({
  store_id: z.string(),
  model_id: z.string(),
  model_hash: z.string(),
  epoch: z.string(),
  /** The version of each projection whose tuples the store holds. */
  projections: z.record(z.string(), z.number()),
});
export type Deployment = z.infer<typeof DeploymentRow>;

export function findDeployment(connection: Connection): Promise<Deployment | null> {
  return connection.maybeOne(sql.type(DeploymentRow)`
    SELECT store_id, model_id, model_hash, epoch, projections FROM authz_deployment`);
}

export async function saveDeployment(connection: Connection, row: Deployment): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    INSERT INTO authz_deployment (store_id, model_id, model_hash, epoch, projections)
    VALUES (${row.store_id}, ${row.model_id}, ${row.model_hash}, ${row.epoch},
      ${sql.jsonb(row.projections)})
    ON CONFLICT (single) DO UPDATE SET store_id = excluded.store_id, model_id = excluded.model_id,
      model_hash = excluded.model_hash, epoch = excluded.epoch,
      projections = excluded.projections, deployed_at = now()`);
}

// Slonik's JSON type asks for an index signature, which interfaces do not have.
const json = (value: Tuple[] | Actor) => value as unknown as Parameters<typeof sql.jsonb>[0];
