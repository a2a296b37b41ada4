import { z } from 'zod';
import type { Action } from '../caller/actions.ts';
import type { Actor } from '../caller/actor.ts';
import { knownAddress } from '../caller/membership.ts';
import type { ScopeRef } from '../caller/scope.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { sweepOlder } from '../platform/postgres/sweep.ts';
import { ActorKind } from './schema.ts';
import { isIn, positionColumn, selectEvents } from './selection.ts';
import type { EventFilter, EventPosition, History } from './selection.ts';

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
  /** When it was done, if not in this transaction. */
  at?: Date;
  /** The change deletes the actor's session, and has checked itself that it was live. */
  deletes_session?: boolean;
}

/**
 * Returns whether a session is live, and lets its end wait for this transaction. A session that this
 * transaction itself has ended counts as live.
 */
export async function lockLiveSession(db: Queryable, id: string): Promise<boolean> {
  const live = await db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM account_session
    WHERE id = ${id} AND (revoked_at IS NULL OR xmin = pg_current_xact_id()::xid)
    FOR SHARE`);
  return live !== null;
}

/** Inserts entries, each with its id, in one statement. */
export async function insertEvents(
  db: Queryable,
  entries: readonly (AuditEntry & { id: string })[],
): Promise<void> {
  const rows = entries.map(({ id, actor, action, scope, outcome, detail, ...entry }) => {
    const text = detail === undefined ? null : JSON.stringify(detail);
    return [
      ...[id, actor.kind, actor.id, actor.credential_id, actor.request_id, actor.address],
      ...[action, outcome ?? 'done', scope?.kind ?? null, scope?.id ?? null],
      ...[entry.organization_id ?? null, JSON.stringify(entry.units ?? [])],
      ...[text, text === null ? 0 : Buffer.byteLength(text), entry.at?.toISOString() ?? null],
    ];
  });
  await db.query(sql.typeAlias('void')`
    INSERT INTO audit_event (id, actor_kind, actor_id, credential_id, request_id, address,
      action, outcome, scope_kind, scope_id, organization_id, units, detail, detail_bytes, at)
    SELECT id, actor_kind, actor_id, credential_id, request_id, address, action, outcome,
      scope_kind, scope_id, organization_id, units, detail, detail_bytes, coalesce(at, now())
    FROM ${sql.unnest(rows, [
      ...['uuid', 'text', 'uuid', 'uuid', 'text', 'text'],
      ...['text', 'text', 'text', 'uuid', 'uuid', 'jsonb', 'jsonb', 'int4', 'timestamptz'],
    ])} AS event (id, actor_kind, actor_id, credential_id, request_id, address, action, outcome,
      scope_kind, scope_id, organization_id, units, detail, detail_bytes, at)`);
}

const EventRow = z.object({
  id: z.string(),
  at: z.string(),
  actor_kind: ActorKind,
  actor_id: z.string().nullable(),
  credential_id: z.string().nullable(),
  address: z.string().nullable(),
  // A later release may have written another name.
  action: z.custom<Action>((name) => typeof name === 'string'),
  units: z.array(z.object({ type: z.string(), id: z.string() })),
  outcome: z.enum(['done', 'refused']),
  detail: z.record(z.string(), z.unknown()).nullable(),
});
export type EventRow = z.infer<typeof EventRow>;
const FoundEventRow = EventRow.extend({ found: z.number(), position: z.string() });
type FoundEvent = z.infer<typeof FoundEventRow>;

/** Where a page of events begins and how long it may be. */
export interface EventPage {
  limit: number;
  /** The position of the last event of the previous page. */
  after: EventPosition | null;
  /** The page ends with the event whose detail exceeds this size in all. */
  max_bytes: number;
}

/**
 * Lists events newest first, by database time, since ids depend on the gateways' clocks. Each has
 * the number of events that were found within the limit, of which those returned fit into a page.
 */
export async function listEvents(
  db: Queryable,
  history: History,
  { limit, after, max_bytes, ...filter }: EventFilter & EventPage,
): Promise<readonly FoundEvent[]> {
  const columns = sql.fragment`e.*`;
  const page = selectEvents(history, filter, { columns, after, isSorted: true, limit });
  return db.any(sql.type(FoundEventRow)`
    SELECT id, at, actor_kind, actor_id, credential_id, address, action, units, outcome, detail,
      found, ${positionColumn}
    FROM (
      SELECT *, count(*) OVER () AS found,
        sum(coalesce(detail_bytes, pg_column_size(detail), 0)) OVER (ORDER BY at DESC, id DESC)
          - coalesce(detail_bytes, pg_column_size(detail), 0) AS bytes_before
      FROM (${page}) AS page
    ) AS sized
    WHERE bytes_before < ${max_bytes}
    ORDER BY at DESC, id DESC`);
}

/** Counts the events that a filter selects, up to `max`. */
export function countEvents(
  db: Queryable,
  history: History,
  filter: EventFilter,
  max: number,
): Promise<number> {
  const columns = sql.fragment`e.id`;
  const reading = { columns, after: null, isSorted: false, limit: max };
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM (${selectEvents(history, filter, reading)}) AS selected`);
}

/** Returns the position of an event in this history, as text; null if it is not part of it. */
export function findPosition(db: Queryable, history: History, id: string): Promise<string | null> {
  return db.maybeOneFirst(sql.type(z.object({ position: z.string() }))`
    SELECT ${positionColumn} FROM audit_event e WHERE id = ${id} AND ${isIn(history)}`);
}

const NameRow = z.object({ id: z.string(), name: z.string() });

/** Returns the names of those ids that are the account's own keys. */
export async function listKeyNames(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.type(NameRow)`
    SELECT id, name FROM api_key
    WHERE account_id = ${accountId} AND id = ANY(${sql.array(ids, 'uuid')})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * Returns the names of those ids that are teams, roles, clients, keys, content and other things that
 * the organization owns. What a member owns has none here, nor has what was deleted.
 */
export async function listOwnedNames(
  db: Queryable,
  organization_id: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const isAsked = sql.fragment`organization_id = ${organization_id} AND id = ANY(${sql.array(ids, 'uuid')})`;
  const rows = await db.any(sql.type(NameRow)`
    SELECT id, coalesce(nullif(title, ''), name) AS name FROM team WHERE ${isAsked}
    UNION ALL SELECT id, name FROM organization_role WHERE ${isAsked}
    UNION ALL SELECT id, name FROM team_role WHERE ${isAsked}
    UNION ALL SELECT id, name FROM api_key WHERE ${isAsked}
    UNION ALL SELECT id, name FROM oauth_client WHERE ${isAsked}
    UNION ALL SELECT id, name FROM sso_connection WHERE ${isAsked}
    UNION ALL SELECT id, name FROM scim_token WHERE ${isAsked}
    UNION ALL SELECT i.id, i.name FROM item i JOIN space s ON s.id = i.space_id
      WHERE s.organization_id = ${organization_id} AND s.kind IN ('team', 'organization')
        AND i.id = ANY(${sql.array(ids, 'uuid')})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const AddressRow = z.object({ id: z.string(), email: z.string().nullable() });

/** Returns the addresses of those accounts that are or were members, as the organization may know them. */
export async function listMemberAddresses(
  db: Queryable,
  organization_id: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await db.any(sql.type(AddressRow)`
    SELECT a.id, ${knownAddress} AS email FROM membership m JOIN account a ON a.id = m.account_id
    WHERE m.organization_id = ${organization_id} AND a.id = ANY(${sql.array(ids, 'uuid')})`);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Deletes old refused attempts; the database refuses to delete anything else. */
export async function sweepEvents(db: Queryable): Promise<void> {
  await sweepOlder(db, {
    table: 'audit_event',
    column: 'at',
    age: '90 days',
    where: sql.fragment`outcome = 'refused'`,
  });
}
