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
  /** The account, organization or other scope that the entry belongs to; null if unknown. */
  scope: ScopeRef | null;
  /** The organization whose audit log lists the entry. */
  organization_id?: string | null;
  /** Objects the action was performed on. */
  units?: readonly { type: string; id: string }[];
  /** Default: `done`. */
  outcome?: 'done' | 'refused';
  /** Never contains a secret, or an e-mail address that was only entered. */
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
      action, outcome, scope_kind, scope_id, organization_id, units, detail)
    VALUES (${id}, ${actor.kind}, ${actor.id}, ${actor.credential_id},
      ${actor.request_id}, ${actor.address}, ${entry.action}, ${entry.outcome ?? 'done'},
      ${scope?.kind ?? null}, ${scope?.id ?? null}, ${entry.organization_id ?? null},
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
  /** Id of the last event of the previous page; must be part of the same history. */
  cursor: string | null;
  /** Prefix of the action. */
  action?: string | undefined;
  outcome?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Identifies the audit log of an account or of an organization. */
export type History = { account_id: string } | { organization_id: string };

const inHistory = (history: History) =>
  'account_id' in history
    ? sql.fragment`scope_kind = 'account' AND scope_id = ${history.account_id}`
    : sql.fragment`organization_id = ${history.organization_id}`;

/** Lists events newest first, by database time, since ids depend on the gateways' clocks. */
export async function listEvents(
  connection: Connection,
  history: History,
  { limit, cursor, action, outcome, from, to }: EventFilter,
): Promise<readonly EventRow[]> {
  const before = sql.fragment`(
    (SELECT at FROM audit_event WHERE id = ${cursor}), ${cursor}::uuid)`;
  return connection.any(sql.type(EventRow)`
    SELECT id, at, actor_kind, actor_id, credential_id, address, action, units, outcome, detail
    FROM audit_event
    WHERE ${inHistory(history)}
      AND ${cursor === null ? sql.fragment`true` : sql.fragment`(at, id) < ${before}`}
      AND (${action ?? null}::text IS NULL OR starts_with(action, ${action ?? null}))
      AND (${outcome ?? null}::text IS NULL OR outcome = ${outcome ?? null})
      AND (${from ?? null}::timestamptz IS NULL OR at >= ${from ?? null}::timestamptz)
      AND (${to ?? null}::timestamptz IS NULL OR at < ${to ?? null}::timestamptz)
    ORDER BY at DESC, id DESC LIMIT ${limit}`);
}

const FoundRow = z.object({ found: z.boolean() });

/** Returns whether an event is part of this history. */
export async function hasEvent(connection: Connection, history: History, id: string) {
  const { found } = await connection.one(sql.type(FoundRow)`
    SELECT EXISTS (SELECT FROM audit_event
      WHERE id = ${id} AND ${inHistory(history)}) AS found`);
  return found;
}

const NameRow = z.object({ id: z.string(), name: z.string() });

/** Returns the names of those ids that are the account's own keys. */
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

const AddressRow = z.object({ id: z.string(), email: z.string().nullable() });

/** Returns the addresses of those accounts that are or were members of the organization. */
export async function listMemberAddresses(
  connection: Connection,
  organization_id: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await connection.any(sql.type(AddressRow)`
    SELECT a.id, a.email FROM membership m JOIN account a ON a.id = m.account_id
    WHERE m.organization_id = ${organization_id} AND a.id = ANY(${sql.array(ids, 'uuid')})`);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Deletes old refused attempts; the database refuses to delete anything else. */
export async function sweepEvents(connection: Connection): Promise<void> {
  await sweepOlder(connection, {
    table: 'audit_event',
    column: 'at',
    age: '90 days',
    where: sql.fragment`outcome = 'refused'`,
  });
}
