import { z } from 'zod';
import type { Action } from '../caller/actions.ts';
import type { Actor } from '../caller/actor.ts';
import type { ScopeRef } from '../caller/scope.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { sweepOlder } from '../platform/postgres/sweep.ts';
import { ActorKind } from './schema.ts';

export interface AuditEntry {
  actor: Actor;
  action: Action;
  /** Whose history it belongs to; null where nobody could be named. */
  scope: ScopeRef | null;
  /** What it was done to. */
  units?: readonly { type: string; id: string }[];
  /** `done` unless said otherwise. */
  outcome?: 'done' | 'refused';
  /** Never a secret, never an address somebody only typed. */
  detail?: Readonly<Record<string, unknown>>;
}

export async function insertEvent(
  connection: Connection,
  id: string,
  entry: AuditEntry,
): Promise<void> {
  const { actor, scope } = entry;
  await connection.query(sql.typeAlias('void')`
    INSERT INTO audit_event (id, actor_kind, actor_id, credential_id, request_id, address,
      action, outcome, scope_kind, scope_id, units, detail)
    VALUES (${id}, ${actor.kind}, ${actor.id}, ${actor.credential_id},
      ${actor.request_id}, ${actor.address}, ${entry.action}, ${entry.outcome ?? 'done'},
      ${scope?.kind ?? null}, ${scope?.id ?? null},
      ${JSON.stringify(entry.units ?? [])}::jsonb,
      ${entry.detail === undefined ? null : JSON.stringify(entry.detail)}::jsonb)`);
}

const EventRow = z.object({
  id: z.string(),
  at: z.string(),
  actor_kind: ActorKind,
  actor_id: z.string().nullable(),
  credential_id: z.string().nullable(),
  address: z.string().nullable(),
  action: z.string(),
  units: z.array(z.object({ type: z.string(), id: z.string() })),
  outcome: z.enum(['done', 'refused']),
  detail: z.record(z.string(), z.unknown()).nullable(),
});
export type EventRow = z.infer<typeof EventRow>;

interface EventFilter {
  limit: number;
  /** Id of the event before the page; it is one of the account's. */
  cursor: string | null;
  /** How the action begins. */
  action?: string | undefined;
  outcome?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Newest first by database time: ids are made by the clocks of the gateways. */
export async function listEvents(
  connection: Connection,
  accountId: string,
  { limit, cursor, action, outcome, from, to }: EventFilter,
): Promise<readonly EventRow[]> {
  const before = sql.fragment`(
    (SELECT at FROM audit_event WHERE id = ${cursor}), ${cursor}::uuid)`;
  return connection.any(sql.type(EventRow)`
    SELECT id, at, actor_kind, actor_id, credential_id, address, action, units, outcome, detail
    FROM audit_event
    WHERE scope_kind = 'account' AND scope_id = ${accountId}
      AND ${cursor === null ? sql.fragment`true` : sql.fragment`(at, id) < ${before}`}
      AND (${action ?? null}::text IS NULL OR starts_with(action, ${action ?? null}))
      AND (${outcome ?? null}::text IS NULL OR outcome = ${outcome ?? null})
      AND (${from ?? null}::timestamptz IS NULL OR at >= ${from ?? null}::timestamptz)
      AND (${to ?? null}::timestamptz IS NULL OR at < ${to ?? null}::timestamptz)
    ORDER BY at DESC, id DESC LIMIT ${limit}`);
}

const Found = z.object({ found: z.boolean() });

/** Whether an event is of this account's history. */
export async function hasEvent(connection: Connection, accountId: string, id: string) {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (SELECT FROM audit_event
      WHERE id = ${id} AND scope_kind = 'account' AND scope_id = ${accountId}) AS found`);
  return found;
}

const NameRow = z.object({ id: z.string(), name: z.string() });

/** What the account called those of these things that are keys of its own. */
export async function listKeyNames(
  connection: Connection,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.any(sql.type(NameRow)`
    SELECT id, name FROM api_key
    WHERE account_id = ${accountId} AND id = ANY(${sql.array(ids, 'uuid')})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What was refused; the database lets nothing else of the audit go. */
export async function sweepEvents(connection: Connection): Promise<void> {
  await sweepOlder(connection, {
    table: 'audit_event',
    column: 'at',
    age: '90 days',
    only: sql.fragment`outcome = 'refused'`,
  });
}
