import { z } from 'zod';
import type { QuotaOwner } from '../caller/principal.ts';
import { CallKind, CallLayer, CallOutcome } from '../limits/schema.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';

export type OwnerRef = Pick<QuotaOwner, 'kind' | 'id'>;

/** The calls that are searched: those that a quota owner pays for, or those of a key. */
export type CallSource = OwnerRef | { kind: 'key'; id: string };

const CallRow = z.object({
  id: z.string(),
  at: z.string(),
  account_id: z.string().nullable(),
  credential_kind: z.enum(['api_key', 'org_key', 'connection', 'machine']).nullable(),
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

/** Position of a call in the list, which is newest first by database time. */
const CallPosition = z.object({ id: z.string(), at: z.string() });
export type CallPlace = z.infer<typeof CallPosition>;

/** Filters of a search; its position is separate. */
export interface CallFilters {
  /** Id of the credential. */
  credential_id?: string | undefined;
  /** Id of the person's account. */
  account_id?: string | undefined;
  item?: string | undefined;
  /** The teams whose items are named, for calls of an organization; all teams if null or missing. */
  inside?: ReadonlySet<string> | null | undefined;
  outcome?: CallOutcome | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

interface CallSearch extends CallFilters {
  /** The last call of the previous page. */
  after: CallPlace | null;
}

export const ownedBy = ({ kind, id }: OwnerRef) =>
  sql.fragment`owner_kind = ${kind} AND owner_id = ${id}`;

// Formatted by PostgreSQL, because our own timestamps have no microseconds.
const positionColumns = sql.fragment`call_id AS id, created_at::text AS at`;
const newestFirst = sql.fragment`ORDER BY created_at DESC, call_id DESC`;

const isOf = (source: CallSource) =>
  source.kind === 'key' ? sql.fragment`key_id = ${source.id}` : ownedBy(source);

/** Returns a call's position, or null if it is not one of the source's. */
export const findCall = (db: Queryable, source: CallSource, id: string) =>
  db.maybeOne(sql.type(CallPosition)`
    SELECT ${positionColumns} FROM usage_ledger WHERE call_id = ${id} AND ${isOf(source)} LIMIT 1`);

/** Conditions that an index can serve in order; the other filters apply to the calls it returns. */
const searchConditions = (source: CallSource, { after, from, to, outcome }: CallSearch) => [
  isOf(source),
  after !== null &&
    sql.fragment`(created_at, call_id) < (${after.at}::timestamptz, ${after.id}::uuid)`,
  from !== undefined && sql.fragment`created_at >= ${from}::timestamptz`,
  to !== undefined && sql.fragment`created_at < ${to}::timestamptz`,
  // Unsuccessful calls are few and have their own index.
  outcome !== undefined && outcome !== 'ok' && sql.fragment`outcome <> 'ok'`,
];

/** Returns the last call that a search scans, or null if fewer than `maxScanned` match. */
export const findHorizon = (
  db: Queryable,
  source: CallSource,
  { maxScanned, ...search }: CallSearch & { maxScanned: number },
) =>
  db.maybeOne(sql.type(CallPosition)`
    SELECT ${positionColumns} FROM usage_ledger WHERE ${allOf(searchConditions(source, search))}
    ${newestFirst} OFFSET ${maxScanned - 1} LIMIT 1`);

/** Lists matching calls; `horizon` is the last call to scan. */
export function listCalls(
  db: Queryable,
  source: CallSource,
  { limit, horizon, ...search }: CallSearch & { limit: number; horizon: CallPlace | null },
) {
  const { credential_id, account_id, item, inside = null, outcome } = search;
  const conditions = [
    ...searchConditions(source, search),
    horizon !== null &&
      sql.fragment`(created_at, call_id) >= (${horizon.at}::timestamptz, ${horizon.id}::uuid)`,
    credential_id !== undefined && sql.fragment`key_id = ${credential_id}`,
    account_id !== undefined && sql.fragment`account_id = ${account_id}`,
    item !== undefined &&
      sql.fragment`(item_id = ${item} OR item_name = ${item}) AND ${isNamed(inside)}`,
    outcome !== undefined && sql.fragment`outcome = ${outcome}`,
  ];
  return readCalls(db, conditions, limit, inside);
}

/** Whether a call's item may be named to someone who is in these teams; in all if null. */
const isNamed = (inside: ReadonlySet<string> | null) =>
  inside === null
    ? sql.fragment`true`
    : sql.fragment`(team_id IS NULL OR team_id = ANY(${sql.array([...inside], 'uuid')}))`;

/** Lists the newest unsuccessful calls of the last `days` days. */
export const listErrors = (
  db: Queryable,
  owner: OwnerRef,
  { limit, days }: { limit: number; days: number },
) =>
  readCalls(
    db,
    [
      ownedBy(owner),
      sql.fragment`outcome <> 'ok'`,
      sql.fragment`created_at > now() - make_interval(days => ${days})`,
    ],
    limit,
  );

type Conditions = readonly (ReturnType<typeof sql.fragment> | false)[];

const allOf = (conditions: Conditions) =>
  sql.join(
    conditions.filter((condition) => condition !== false),
    sql.fragment` AND `,
  );

function readCalls(
  db: Queryable,
  conditions: Conditions,
  limit: number,
  inside: ReadonlySet<string> | null = null,
): Promise<readonly CallRow[]> {
  return db.any(sql.type(CallRow)`
    WITH page AS (
      SELECT * FROM usage_ledger WHERE ${allOf(conditions)} ${newestFirst} LIMIT ${limit}
    )
    SELECT page.call_id AS id, page.created_at AS at, page.account_id, credential_kind, key_id,
      api_key.name AS key_name, kind, CASE WHEN ${isNamed(inside)} THEN item_id END AS item_id,
      CASE WHEN ${isNamed(inside)} THEN item_name END AS item_name, outcome, layer, duration_ms, arguments
    FROM page
    LEFT JOIN api_key ON api_key.id = key_id AND api_key.account_id = page.account_id
    LEFT JOIN call_arguments ON call_arguments.call_id = page.call_id
    ORDER BY page.created_at DESC, page.call_id DESC`);
}

const ItemRow = z.object({ id: z.string(), name: z.string(), calls: z.number() });

/**
 * Counts this month's calls per item, under its latest name, most called first; without the items
 * of teams that are not in `inside`.
 */
export function listCallsByItem(
  db: Queryable,
  owner: OwnerRef,
  maxItems: number,
  inside: ReadonlySet<string> | null = null,
) {
  const isOutside =
    inside !== null &&
    sql.fragment`EXISTS (SELECT FROM usage_share s
      WHERE s.organization_id = ${owner.id} AND s.part = 'item' AND s.part_id = item_id
        AND s.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
        AND s.group_id <> ALL(${sql.array([...inside], 'uuid')}))`;
  return db.any(sql.type(ItemRow)`
    SELECT item_id AS id, (array_agg(item_name ORDER BY day DESC))[1] AS name, sum(calls) AS calls
    FROM usage_day
    WHERE ${ownedBy(owner)} AND day >= date_trunc('month', now() AT TIME ZONE 'UTC')
      AND NOT ${isOutside || sql.fragment`false`}
    GROUP BY item_id ORDER BY calls DESC, item_id LIMIT ${maxItems}`);
}

const DayRow = z.object({ day: z.string(), calls: z.number() });

/** Counts the calls of each of the last `days` days (UTC), today last. */
export function listCallsByDay(db: Queryable, owner: OwnerRef, days: number) {
  return db.any(sql.type(DayRow)`
    WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS today)
    SELECT to_char(today - ago, 'YYYY-MM-DD') AS day, coalesce((
      SELECT sum(calls) FROM usage_day WHERE ${ownedBy(owner)} AND day = today - ago
    ), 0) AS calls
    FROM today, generate_series(${days - 1}, 0, -1) AS ago`);
}

const SettingsRow = z.object({ audit_arguments: z.boolean() });

/** Returns an account's settings; null if it never changed them, so that the defaults apply. */
export function findSettings(db: Queryable, account_id: string) {
  return db.maybeOne(sql.type(SettingsRow)`
    SELECT audit_arguments FROM account_settings WHERE account_id = ${account_id}`);
}

export async function saveSettings(
  db: Queryable,
  account_id: string,
  { audit_arguments }: z.infer<typeof SettingsRow>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO account_settings (account_id, audit_arguments)
    VALUES (${account_id}, ${audit_arguments})
    ON CONFLICT (account_id) DO UPDATE SET audit_arguments = excluded.audit_arguments`);
}
