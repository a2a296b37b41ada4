import { z } from 'zod';
import type { Owner } from '../caller/caller.ts';
import { CallKind, CallLayer, CallOutcome } from '../limits/schema.ts';
import { sql } from '../platform/database.ts';
import type { Connection } from '../platform/database.ts';

type OwnerRef = Pick<Owner, 'kind' | 'id'>;

const CallRow = z.object({
  id: z.string(),
  at: z.string(),
  key_id: z.string().nullable(),
  key_name: z.string().nullable(),
  kind: CallKind,
  item_id: z.string().nullable(),
  item_name: z.string().nullable(),
  outcome: CallOutcome.nullable(),
  layer: CallLayer.nullable(),
  duration_ms: z.int().nullable(),
  arguments: z.string().nullable(),
});
export type CallRow = z.infer<typeof CallRow>;

interface CallFilter {
  limit: number;
  /** Id of the call before the page; it is one of the owner's. */
  cursor: string | null;
  key?: string | undefined;
  item?: string | undefined;
  outcome?: CallOutcome | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const of = ({ kind, id }: OwnerRef) => sql.fragment`owner_kind = ${kind} AND owner_id = ${id}`;

/** Newest first by database time: ids are made by the clocks of the gateways. */
export function listCalls(connection: Connection, owner: OwnerRef, filter: CallFilter) {
  const { cursor, key, item, outcome, from, to } = filter;
  const conditions = [
    of(owner),
    cursor !== null &&
      sql.fragment`(created_at, call_id) < (
        (SELECT created_at FROM usage_ledger WHERE call_id = ${cursor} LIMIT 1), ${cursor}::uuid)`,
    key !== undefined && sql.fragment`key_id = ${key}`,
    item !== undefined && sql.fragment`(item_id = ${item} OR item_name = ${item})`,
    outcome !== undefined && sql.fragment`outcome = ${outcome}`,
    from !== undefined && sql.fragment`created_at >= ${from}::timestamptz`,
    to !== undefined && sql.fragment`created_at < ${to}::timestamptz`,
  ];
  return readCalls(connection, conditions, filter.limit);
}

/** The last that did not go well, of so many days. */
export const listErrors = (
  connection: Connection,
  owner: OwnerRef,
  { limit, days }: { limit: number; days: number },
) =>
  readCalls(
    connection,
    [
      of(owner),
      sql.fragment`outcome <> 'ok'`,
      sql.fragment`created_at > now() - make_interval(days => ${days})`,
    ],
    limit,
  );

function readCalls(
  connection: Connection,
  conditions: readonly (ReturnType<typeof sql.fragment> | false)[],
  limit: number,
): Promise<readonly CallRow[]> {
  const given = conditions.filter((condition) => condition !== false);
  return connection.any(sql.type(CallRow)`
    WITH page AS (
      SELECT * FROM usage_ledger WHERE ${sql.join(given, sql.fragment` AND `)}
      ORDER BY created_at DESC, call_id DESC LIMIT ${limit}
    )
    SELECT page.call_id AS id, page.created_at AS at, key_id, api_key.name AS key_name, kind,
      item_id, item_name, outcome, layer, duration_ms, arguments
    FROM page
    LEFT JOIN api_key ON api_key.id = key_id AND api_key.account_id = page.account_id
    LEFT JOIN call_arguments ON call_arguments.call_id = page.call_id
    ORDER BY page.created_at DESC, page.call_id DESC`);
}

const Found = z.object({ found: z.boolean() });

/** Whether a call is among those of the owner. */
export async function hasCall(connection: Connection, owner: OwnerRef, id: string) {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (SELECT FROM usage_ledger WHERE call_id = ${id} AND ${of(owner)}) AS found`);
  return found;
}

const ItemRow = z.object({ id: z.string(), name: z.string(), calls: z.number() });

/** What each item was called this month, as its newest name has it; most first. */
export function listCallsByItem(connection: Connection, owner: OwnerRef, most: number) {
  return connection.any(sql.type(ItemRow)`
    SELECT item_id AS id, (array_agg(item_name ORDER BY day DESC))[1] AS name, sum(calls) AS calls
    FROM usage_day
    WHERE ${of(owner)} AND day >= date_trunc('month', now() AT TIME ZONE 'UTC')
    GROUP BY item_id ORDER BY calls DESC, item_id LIMIT ${most}`);
}

const DayRow = z.object({ day: z.string(), calls: z.number() });

/** Each of the last days with what was called on it, today last. */
export function listCallsByDay(connection: Connection, owner: OwnerRef, days: number) {
  return connection.any(sql.type(DayRow)`
    WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS today)
    SELECT to_char(today - ago, 'YYYY-MM-DD') AS day, coalesce((
      SELECT sum(calls) FROM usage_day WHERE ${of(owner)} AND day = today - ago
    ), 0) AS calls
    FROM today, generate_series(${days - 1}, 0, -1) AS ago`);
}

const SettingsRow = z.object({ audit_arguments: z.boolean() });

/** Null: as a new account has them. */
export function findSettings(connection: Connection, account_id: string) {
  return connection.maybeOne(sql.type(SettingsRow)`
    SELECT audit_arguments FROM account_settings WHERE account_id = ${account_id}`);
}

export async function saveSettings(
  connection: Connection,
  account_id: string,
  { audit_arguments }: z.infer<typeof SettingsRow>,
): Promise<void> {
  await connection.query(sql.unsafe`
    INSERT INTO account_settings (account_id, audit_arguments)
    VALUES (${account_id}, ${audit_arguments})
    ON CONFLICT (account_id) DO UPDATE SET audit_arguments = excluded.audit_arguments`);
}
