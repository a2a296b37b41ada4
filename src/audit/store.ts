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
  /** The change deletes the actor's session, and has checked itself that it was live. */
  deletes_session?: boolean;
}

/**
 * Returns whether a session is live, and lets its end wait for this transaction. A session that this
 * transaction itself has ended counts as live.
 */
export async function lockLiveSession(connection: Connection, id: string): Promise<boolean> {
  const live = await connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM account_session
    WHERE id = ${id} AND (revoked_at IS NULL OR xmin = pg_current_xact_id()::xid)
    FOR SHARE`);
  return live !== null;
}

/** Inserts entries, each with its id, in one statement. */
export async function insertEvents(
  connection: Connection,
  entries: readonly (AuditEntry & { id: string })[],
): Promise<void> {
  const rows = entries.map(({ id, actor, action, scope, outcome, detail, ...entry }) => {
    const text = detail === undefined ? null : JSON.stringify(detail);
    return [
      ...[id, actor.kind, actor.id, actor.credential_id, actor.request_id, actor.address],
      ...[action, outcome ?? 'done', scope?.kind ?? null, scope?.id ?? null],
      ...[entry.organization_id ?? null, JSON.stringify(entry.units ?? [])],
      ...[text, text === null ? 0 : Buffer.byteLength(text)],
    ];
  });
  await connection.query(sql.typeAlias('void')`
    INSERT INTO audit_event (id, actor_kind, actor_id, credential_id, request_id, address,
      action, outcome, scope_kind, scope_id, organization_id, units, detail, detail_bytes)
    SELECT * FROM ${sql.unnest(rows, [
      ...['uuid', 'text', 'uuid', 'uuid', 'text', 'text'],
      ...['text', 'text', 'text', 'uuid', 'uuid', 'jsonb', 'jsonb', 'int4'],
    ])}`);
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
const FoundEventRow = EventRow.extend({ found: z.number() });

export interface EventFilter {
  /** Prefix of the action. */
  action?: string | undefined;
  outcome?: string | undefined;
  /** Id of an object that the action was performed on. */
  target?: string | undefined;
  actor?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Where a page of events begins and how long it may be. */
export interface EventPage {
  limit: number;
  /** Id of the last event of the previous page; must be part of the same history. */
  cursor: string | null;
  /** The page ends with the event whose detail exceeds this size in all. */
  max_bytes: number;
}

/** Identifies the audit log of an account or of an organization. */
export type History = { account_id: string } | { organization_id: string };

const inHistory = (history: History) =>
  'account_id' in history
    ? sql.fragment`scope_kind = 'account' AND scope_id = ${history.account_id}`
    : sql.fragment`organization_id = ${history.organization_id}`;

/** Selects the events of a history; those about one object are found by an index of their own. */
const eventsOf = (history: History, target: string | undefined) => {
  if (target === undefined)
    return {
      from: sql.fragment`audit_event e`,
      where: inHistory(history),
      position: sql.fragment`e.at, e.id`,
      order: sql.fragment`e.at DESC, e.id DESC`,
    };
  const owner =
    'account_id' in history
      ? sql.fragment`t.of_account = ${history.account_id}`
      : sql.fragment`t.of_organization = ${history.organization_id}`;
  return {
    from: sql.fragment`audit_target t JOIN audit_event e ON e.id = t.event_id`,
    where: sql.fragment`${owner} AND t.target_id = ${target.toLowerCase()}`,
    position: sql.fragment`t.at, t.event_id`,
    order: sql.fragment`t.at DESC, t.event_id DESC`,
  };
};

/** Selects by everything but the target. */
const isSelected = ({ action, outcome, actor, from, to }: EventFilter) => sql.fragment`
    ${actor === undefined ? sql.fragment`true` : sql.fragment`e.actor_id = ${actor}`}
    AND (${action ?? null}::text IS NULL OR starts_with(e.action, ${action ?? null}))
    AND (${outcome ?? null}::text IS NULL OR e.outcome = ${outcome ?? null})
    AND (${from ?? null}::timestamptz IS NULL OR e.at >= ${from ?? null}::timestamptz)
    AND (${to ?? null}::timestamptz IS NULL OR e.at < ${to ?? null}::timestamptz)`;

/**
 * Lists events newest first, by database time, since ids depend on the gateways' clocks. Each has
 * the number of events that were found within the limit, of which those returned fit into a page.
 */
export async function listEvents(
  connection: Connection,
  history: History,
  { limit, cursor, max_bytes, ...filter }: EventFilter & EventPage,
): Promise<readonly (EventRow & { found: number })[]> {
  const events = eventsOf(history, filter.target);
  const before = sql.fragment`(
    (SELECT at FROM audit_event WHERE id = ${cursor}), ${cursor}::uuid)`;
  const starts =
    cursor === null ? sql.fragment`true` : sql.fragment`(${events.position}) < ${before}`;
  return connection.any(sql.type(FoundEventRow)`
    SELECT id, at, actor_kind, actor_id, credential_id, address, action, units, outcome, detail, found
    FROM (
      SELECT *, count(*) OVER () AS found,
        sum(coalesce(detail_bytes, pg_column_size(detail), 0)) OVER (ORDER BY at DESC, id DESC)
          - coalesce(detail_bytes, pg_column_size(detail), 0) AS bytes_before
      FROM (
        SELECT e.* FROM ${events.from}
        WHERE ${events.where} AND ${starts}
          AND ${isSelected(filter)}
        ORDER BY ${events.order} LIMIT ${limit}
      ) AS page
    ) AS sized
    WHERE bytes_before < ${max_bytes}
    ORDER BY at DESC, id DESC`);
}

/** Counts the events that a filter selects, up to `max`. */
export function countEvents(
  connection: Connection,
  history: History,
  filter: EventFilter,
  max: number,
): Promise<number> {
  const { from, where } = eventsOf(history, filter.target);
  return connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM (
      SELECT FROM ${from} WHERE ${where} AND ${isSelected(filter)} LIMIT ${max}
    ) AS selected`);
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
