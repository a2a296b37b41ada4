import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Actor } from '../../caller/actor.ts';
import { organizationOf, scopeName } from '../../caller/scope.ts';
import type { NewScope, ScopeRef } from '../../caller/scope.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { RECORDER } from './touched.ts';
import type { Delta, Tuple } from '../tuple.ts';

const ScopeRow = z.object({
  kind: z.enum(['platform', 'account', 'organization', 'membership', 'service']),
  id: z.string(),
  revision: z.number(),
  applied: z.number(),
  nonce: z.string(),
  content: z.number(),
});
const LockedScopeRow = ScopeRow.extend({
  position: z.number(),
  is_stuck: z.boolean(),
  /** Its organization; null for accounts and the platform. */
  organization_id: z.string().nullable(),
});
export type LockedScope = z.infer<typeof LockedScopeRow>;

const scopeColumns = sql.fragment`kind, id, revision, applied, nonce, content`;
const lockedColumns = sql.fragment`
  ${scopeColumns}, organization_id, position, stuck_since IS NOT NULL AS is_stuck`;

/** The purpose of a lock on scopes: only a change may touch rows that are projected to tuples. */
export type LockPurpose = 'change' | 'edit' | 'read';

/** Makes the triggers of projected rows record them (migrations/0041_projected_rows.sql). */
const startRecording = sql.fragment`, set_config(${RECORDER}, 'recorded', true)`;

/** Creates the scope's row if it does not exist. */
export async function createScope(transaction: Transaction, scope: NewScope): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO authz_scope (kind, id, organization_id)
    VALUES (${scope.kind}, ${scope.id}, ${organizationOf(scope)})
    ON CONFLICT DO NOTHING`);
}

/**
 * Locks a scope's row until the commit: FOR UPDATE to write it, FOR SHARE if a decision read it. Returns
 * null if there is no row. With the purpose `change`, and with no other, the transaction may then touch
 * rows that are projected to tuples. The platform's row is read without a lock: it changes only with
 * deployments, and every change would contend for it.
 */
export function lockScopeRow(
  transaction: Transaction,
  scope: ScopeRef,
  purpose: LockPurpose,
): Promise<LockedScope | null> {
  const share = scope.kind === 'platform' ? sql.fragment`` : sql.fragment`FOR SHARE`;
  return transaction.maybeOne(sql.type(LockedScopeRow)`
    SELECT ${lockedColumns} ${purpose === 'change' ? startRecording : sql.fragment``}
    FROM authz_scope WHERE kind = ${scope.kind} AND id = ${scope.id}
    ${purpose === 'read' ? share : sql.fragment`FOR UPDATE`}`);
}

/** Locks an existing scope FOR UPDATE. */
export async function lockScope(transaction: Transaction, scope: ScopeRef): Promise<LockedScope> {
  const locked = await lockScopeRow(transaction, scope, 'edit');
  if (locked === null) throw new TypeError(`${scopeName(scope)} must exist to be written.`);
  return locked;
}

/** One revision of a scope. */
export interface Revision extends ScopeRef {
  seq: number;
}

interface Raise {
  actor: Actor;
  reason: string;
  /** The model the tuples are written under, by whichever gateway applies them. */
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

/** Returns a unique fence; positions alone repeat after a restore of the database. */
const newFence = (position: number) => `${position}.${randomUUID().slice(0, 8)}`;

/**
 * Gives up the scope's pending parts; their rows stay for inspection. The repair that is queued in
 * the same transaction replaces them with the state of the rows. Until it is applied the scope
 * stays dirty, and parts of other scopes that waited for an abandoned part now wait for the repair.
 */
export async function abandonPending(transaction: Transaction, scope: LockedScope): Promise<void> {
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

/**
 * Raises `content`, at least to the current time: if a number repeated after a restore, caches
 * would still serve the lost edit that had the same number.
 */
export async function raiseContent(
  transaction: Transaction,
  scopes: readonly ScopeRef[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE authz_scope
    SET content = greatest(content + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE ${isAmong(scopes)}`);
}

export async function readScopes(
  db: Queryable,
  scopes: readonly ScopeRef[],
): Promise<readonly LockedScope[]> {
  return db.any(sql.type(LockedScopeRow)`
    SELECT ${lockedColumns} FROM authz_scope WHERE ${isAmong(scopes)}`);
}

const isAmong = (scopes: readonly ScopeRef[]) => sql.fragment`
  (kind, id) IN (SELECT * FROM ${sql.unnest(
    scopes.map((scope) => [scope.kind, scope.id]),
    ['text', 'uuid'],
  )})`;

const TupleRow = z.object({ user: z.string(), relation: z.string(), object: z.string() });
const PartRow = z.object({
  seq: z.number(),
  part: z.number(),
  /** The scope's fence in OpenFGA before and after this part; null before the first part. */
  fence_before: z.string().nullable(),
  fence: z.string(),
  last_part: z.boolean(),
  /** The model its tuples are written under. */
  model_id: z.string(),
  /** The revision that must be applied first and is not yet; null if there is none. */
  after: ScopeRow.pick({ kind: true, id: true }).extend({ seq: z.number() }).nullable(),
  deletes: z.array(TupleRow),
  writes: z.array(TupleRow),
});
export type OutboxPart = z.infer<typeof PartRow>;

/** Returns in order the next 100 parts not known to be in OpenFGA, up to the revision `upTo`. */
export function listPendingParts(
  db: Queryable,
  scope: ScopeRef,
  upTo: number = Number.MAX_SAFE_INTEGER,
) {
  return db.any(sql.type(PartRow)`
    SELECT seq, part, fence, last_part, model_id, deletes, writes, (
      SELECT jsonb_build_object('kind', kind, 'id', id, 'seq', waiting.after_seq) FROM authz_scope
      WHERE kind = waiting.after_kind AND id = waiting.after_id AND applied < waiting.after_seq
    ) AS after, (
      SELECT fence FROM authz_outbox
      WHERE kind = waiting.kind AND id = waiting.id AND (seq, part) < (waiting.seq, waiting.part)
      ORDER BY seq DESC, part DESC LIMIT 1) AS fence_before
    FROM authz_outbox AS waiting
    WHERE kind = ${scope.kind} AND id = ${scope.id}
      AND seq <= ${upTo} AND applied_at IS NULL AND given_up_at IS NULL
    ORDER BY position LIMIT 100`);
}

/** Returns whether a pending change writes or deletes tuples of any of these objects. */
export function hasPendingChange(db: Queryable, objects: readonly string[]) {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM authz_outbox, jsonb_array_elements(deletes || writes) AS tuple
    WHERE applied_at IS NULL AND given_up_at IS NULL
      AND tuple->>'object' = ANY(${sql.array([...objects], 'text')})`);
}

/** Returns the scope's fence after all its changes are applied; null before the first change. */
export function readLastFence(db: Queryable, scope: ScopeRef): Promise<string | null> {
  return db.maybeOneFirst(sql.type(z.object({ fence: z.string() }))`
    SELECT fence FROM authz_outbox
    WHERE kind = ${scope.kind} AND id = ${scope.id} ORDER BY seq DESC, part DESC LIMIT 1`);
}

/** Returns whether a store with the given fence contains the part, as far as the rows show. */
export function isAtOrAfter(
  db: Queryable,
  { kind, id, seq, part }: ScopeRef & Pick<OutboxPart, 'seq' | 'part'>,
  storedFence: string | null,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM authz_outbox
    WHERE kind = ${kind} AND id = ${id} AND (seq, part) >= (${seq}, ${part}) AND fence = ${storedFence}`);
}

/**
 * Marks a part as applied, earlier ones as superseded; a revision's last part raises `applied`. A
 * scope with later changes is then dirty since the oldest of them; the fallback is for one that was
 * committed while this statement waited for the row, which its snapshot does not show.
 */
export async function markApplied(db: Queryable, scope: ScopeRef, part: OutboxPart): Promise<void> {
  await db.query(sql.typeAlias('void')`
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
        dirty_since = CASE WHEN revision > ${part.seq} THEN coalesce((
          SELECT min(created_at) FROM authz_outbox
          WHERE kind = ${scope.kind} AND id = ${scope.id} AND seq > ${part.seq}
            AND applied_at IS NULL AND given_up_at IS NULL), now()) END
    WHERE kind = ${scope.kind} AND id = ${scope.id} AND applied = ${part.seq - 1}
      AND ${part.last_part}`);
}

/** Marks a scope as stuck: no retry can apply its next change. Returns false if it already was. */
export async function markStuck(db: Queryable, scope: ScopeRef): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE authz_scope SET stuck_since = now()
    WHERE kind = ${scope.kind} AND id = ${scope.id} AND stuck_since IS NULL`);
  return rowCount > 0;
}

const ScopeRefRow = ScopeRow.pick({ kind: true, id: true });

/** Returns dirty scopes, the longest waiting first and stuck ones last, so that they delay none. */
export function listDirtyScopes(db: Queryable, limit: number) {
  return db.any(sql.type(ScopeRefRow)`
    SELECT kind, id FROM authz_scope WHERE applied < revision
    ORDER BY stuck_since NULLS FIRST, dirty_since LIMIT ${limit}`);
}

const BacklogRow = z.object({ seconds: z.number(), stuck: z.number() });

/**
 * Returns the age in seconds of the oldest pending change, 0 if there is none, and the number of
 * stuck scopes. Their changes do not count as pending: they wait for a repair, not for OpenFGA.
 */
export function readBacklog(db: Queryable) {
  return db.one(sql.type(BacklogRow)`
    SELECT
      coalesce(extract(epoch FROM now() - min(dirty_since) FILTER (WHERE stuck_since IS NULL)), 0)
        ::float8 AS seconds,
      count(stuck_since)::int AS stuck
    FROM authz_scope WHERE applied < revision`);
}

/** Returns the next page of all scopes, ordered by (kind, id). */
export function listScopesAfter(db: Queryable, last: ScopeRef | null, limit: number) {
  return db.any(sql.type(LockedScopeRow)`
    SELECT ${lockedColumns} FROM authz_scope
    WHERE ${last ? sql.fragment`(kind, id) > (${last.kind}, ${last.id}::uuid)` : sql.fragment`true`}
    ORDER BY kind, id LIMIT ${limit}`);
}

// Slonik's JSON type requires an index signature, which interfaces do not have.
const json = (value: Tuple[] | Actor) => value as unknown as Parameters<typeof sql.jsonb>[0];
