import { z } from 'zod';
import type { QuotaOwner } from '../../caller/principal.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { iteratePages } from '../../platform/http/pages.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { LedgerRow } from './row.ts';

type OwnerRef = Pick<QuotaOwner, 'kind' | 'id'>;

const TotalRow = z.object({
  owner_kind: z.enum(['account', 'organization']),
  owner_id: z.string(),
  month: z.string(),
  calls: z.number(),
});
const CallsRow = z.object({ calls: z.number() });
const MonthRow = CallsRow.extend({ month: z.string(), seconds_left: z.number() });
const LiveRow = z.object({ live: z.number() });

/**
 * Inserts the rows that do not exist yet and raises each month and day by exactly those, in one
 * statement, so that repeating it adds nothing. The rows of organizations do not name items from
 * members' own spaces. Returns the totals of all months with counted rows.
 */
export async function insertCalls(db: Queryable, rows: readonly LedgerRow[]) {
  const totals = await db.any(sql.type(TotalRow)`
    WITH sent AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS row (call_id uuid,
        month date, owner_kind text, owner_id uuid, kind text, counted bool, account_id uuid,
        key_id uuid, credential_kind text, item_id text, item_name text, space_id uuid,
        arguments text, outcome text, layer text, duration_ms int4, at timestamptz)
    ), call AS (
      SELECT sent.*, team.id AS team_id, owner_kind = 'account' OR space_id IS NULL
        OR space_id = owner_id OR team.id IS NOT NULL AS is_shared
      FROM sent LEFT JOIN team ON owner_kind = 'organization'
        AND team.id = space_id AND team.organization_id = owner_id
    ), inserted AS (
      INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted, account_id,
        key_id, credential_kind, team_id, item_id, item_name, outcome, layer, duration_ms,
        created_at)
      SELECT call_id, month, owner_kind, owner_id, kind, counted, account_id, key_id,
        credential_kind, team_id, CASE WHEN is_shared THEN item_id END,
        CASE WHEN is_shared THEN item_name END, outcome, layer, duration_ms, coalesce(at, now())
      FROM call ORDER BY call_id
      ON CONFLICT (call_id, month) DO NOTHING
      RETURNING owner_kind, owner_id, month, kind, counted, account_id, key_id, credential_kind,
        team_id, item_id, item_name, outcome, ${dayOf} AS day
    ), kept AS (
      INSERT INTO call_arguments (call_id, account_id, arguments)
      SELECT call_id, account_id, arguments FROM call
      WHERE arguments IS NOT NULL AND owner_kind = 'account' AND EXISTS (SELECT FROM account WHERE id = call.account_id)
      ON CONFLICT (call_id) DO NOTHING
    ), counts AS (
      SELECT owner_kind, owner_id, month, day, item_id, max(item_name) AS item_name,
        count(*) AS calls
      FROM inserted WHERE counted GROUP BY owner_id, owner_kind, month, day, item_id
    ), dated AS (
      INSERT INTO usage_day AS total (owner_kind, owner_id, day, item_id, item_name, calls)
      SELECT owner_kind, owner_id, day, item_id, item_name, calls FROM counts
      WHERE item_id IS NOT NULL ORDER BY 2, 1, 3, 4
      ON CONFLICT (owner_id, owner_kind, day, item_id)
      DO UPDATE SET calls = total.calls + excluded.calls, item_name = excluded.item_name
    ), shared AS (${addShares}), uncounted AS (${addUncounted}), raised AS (
      INSERT INTO usage_month AS total (owner_kind, owner_id, month, calls)
      SELECT owner_kind, owner_id, month, sum(calls) FROM counts
      GROUP BY owner_kind, owner_id, month ORDER BY owner_id, owner_kind, month
      ON CONFLICT (owner_id, owner_kind, month)
      DO UPDATE SET calls = total.calls + excluded.calls
      RETURNING owner_kind, owner_id, month, calls
    )
    SELECT DISTINCT owner_kind, owner_id, to_char(month, 'YYYY-MM') AS month,
      coalesce(raised.calls, known.calls, 0) AS calls
    FROM call
    LEFT JOIN raised USING (owner_kind, owner_id, month)
    LEFT JOIN usage_month known USING (owner_kind, owner_id, month)
    WHERE call.counted`);
  return totals.map(({ owner_kind, owner_id, month, calls }) => ({
    quota_owner: { kind: owner_kind, id: owner_id },
    month,
    calls,
  }));
}

/** Sets the outcome of calls whose rows were inserted while they ran. */
export async function finishCalls(db: Queryable, rows: readonly LedgerRow[]) {
  await db.query(sql.typeAlias('void')`
    UPDATE usage_ledger call SET outcome = ended.outcome, layer = ended.layer,
      duration_ms = ended.duration_ms
    FROM (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows.map(endOf))}::json) AS row
        (call_id uuid, month date, outcome text, layer text, duration_ms int4)
      ORDER BY call_id
    ) ended
    WHERE call.call_id = ended.call_id AND call.month = ended.month AND call.outcome IS NULL`);
}

const endOf = ({ call_id, month, outcome, layer, duration_ms }: LedgerRow) => ({
  call_id,
  month,
  outcome,
  layer,
  duration_ms,
});

/**
 * Adds the inserted calls to the shares of their organization and of the team that owns the item.
 */
const addShares = sql.fragment`
  INSERT INTO usage_share AS total (organization_id, group_id, month, part, part_id, name, calls)
  SELECT owner_id, groups.id, month, shares.part, shares.id, max(shares.name), count(*)
  FROM inserted
  CROSS JOIN LATERAL (VALUES (owner_id), (team_id)) AS groups (id)
  CROSS JOIN LATERAL (VALUES
    ('member', account_id::text, NULL),
    (credential_kind, key_id::text, NULL),
    (CASE WHEN groups.id = team_id THEN 'item' END, item_id, item_name)
  ) AS shares (part, id, name)
  WHERE counted AND owner_kind = 'organization' AND groups.id IS NOT NULL
    AND shares.part IS NOT NULL AND shares.id IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (organization_id, group_id, month, part, part_id)
  DO UPDATE SET calls = total.calls + excluded.calls, name = coalesce(excluded.name, total.name)`;

// A day in the month in which the call counts, even if the row is written just after midnight.
const dayOf = sql.fragment`least(greatest((created_at AT TIME ZONE 'UTC')::date, month),
  (month + interval '1 month - 1 day')::date)`;

/** Adds the inserted calls that count towards no quota; their outcomes are final. */
const addUncounted = sql.fragment`
  INSERT INTO usage_uncounted AS total (owner_kind, owner_id, day, refused, content_reads)
  SELECT owner_kind, owner_id, day, count(*) FILTER (WHERE outcome = 'refused'),
    count(*) FILTER (WHERE outcome IS DISTINCT FROM 'refused')
  FROM inserted WHERE outcome = 'refused' OR kind = 'content_read'
  GROUP BY 1, 2, 3 ORDER BY 2, 1, 3
  ON CONFLICT (owner_id, owner_kind, day) DO UPDATE SET refused = total.refused + excluded.refused,
    content_reads = total.content_reads + excluded.content_reads`;

export async function readCalls(db: Queryable, owner: OwnerRef, month: string) {
  const row = await db.one(sql.type(CallsRow)`
    SELECT coalesce((
      SELECT calls FROM usage_month
      WHERE owner_kind = ${owner.kind} AND owner_id = ${owner.id}
        AND month = ${`${month}-01`}::date
    ), 0) AS calls`);
  return row.calls;
}

/** Reads this month by the database's clock, which applies while Redis is unavailable. */
export function readThisMonth(db: Queryable, owner: OwnerRef) {
  return db.one(sql.type(MonthRow)`
    WITH clock AS (
      SELECT now() AT TIME ZONE 'UTC' AS now, date_trunc('month', now() AT TIME ZONE 'UTC') AS first
    )
    SELECT to_char(first, 'YYYY-MM') AS month,
      ceil(extract(epoch FROM first + interval '1 month' - now))::int AS seconds_left,
      coalesce((
        SELECT calls FROM usage_month
        WHERE owner_kind = ${owner.kind} AND owner_id = ${owner.id} AND month = first::date
      ), 0) AS calls
    FROM clock`);
}

const ExportedMonth = z.object({ month: z.string(), calls: z.number() });
const ExportedCall = z.object({
  id: z.string(),
  at: z.string(),
  kind: z.string(),
  key_id: z.string().nullable(),
  item_id: z.string().nullable(),
  item_name: z.string().nullable(),
  outcome: z.string().nullable(),
  layer: z.string().nullable(),
  duration_ms: z.number().nullable(),
  arguments: z.string().nullable(),
});

// Arguments of a call may take four kilobytes.
const EXPORTED_CALLS = 500;

/** Returns an account's latest months and its newest calls, as stored. */
export async function exportUsage(db: Queryable, account_id: string, max: number) {
  const months = await db.any(sql.type(ExportedMonth)`
    SELECT to_char(month, 'YYYY-MM') AS month, calls FROM usage_month
    WHERE owner_kind = 'account' AND owner_id = ${account_id} ORDER BY month DESC LIMIT ${max}`);
  const calls = iteratePages<z.infer<typeof ExportedCall>>(
    ({ limit, after }) =>
      db.any(sql.type(ExportedCall)`
      SELECT call_id AS id, call.created_at AS at, kind, key_id, item_id, item_name, outcome, layer,
        duration_ms, arguments
      FROM usage_ledger call LEFT JOIN call_arguments USING (call_id)
      WHERE owner_kind = 'account' AND owner_id = ${account_id}
        AND ${after === null ? sql.fragment`true` : olderThan(after.id)}
      ORDER BY call.created_at DESC, call_id DESC LIMIT ${limit}`),
    { rows: EXPORTED_CALLS, max },
  );
  return { months, calls };
}

const olderThan = (call_id: string) => sql.fragment`(call.created_at, call_id) < (
  (SELECT created_at FROM usage_ledger WHERE call_id = ${call_id} LIMIT 1), ${call_id}::uuid)`;

/** Creates the partitions of the next two months and drops those older than thirteen months. */
export async function preparePartitions(db: Queryable): Promise<void> {
  await db.query(sql.typeAlias('void')`SELECT FROM usage_ledger_prepare(2)`);
  await db.query(sql.typeAlias('void')`SELECT FROM usage_ledger_forget(13)`);
}

/** Deletes arguments after 30 days, and daily sums and shares after 13 months, like the calls. */
export async function sweepCalls(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'call_arguments', column: 'created_at', age: '30 days' });
  await sweepOlder(db, { table: 'usage_day', column: 'day', age: '13 months' });
  await sweepOlder(db, { table: 'usage_uncounted', column: 'day', age: '13 months' });
  await sweepOlder(db, { table: 'usage_share', column: 'month', age: '13 months' });
}

/** Sends this gateway's heartbeat and returns the number of live gateways, including itself. */
export async function recordHeartbeat(db: Queryable, instance: string): Promise<number> {
  const row = await db.one(sql.type(LiveRow)`
    WITH beat AS (
      INSERT INTO gateway_instance (id) VALUES (${instance})
      ON CONFLICT (id) DO UPDATE SET seen_at = now()
    ), forgotten AS (
      DELETE FROM gateway_instance WHERE seen_at < now() - interval '1 day'
    )
    SELECT 1 + count(*) AS live FROM gateway_instance
    WHERE id <> ${instance} AND seen_at > now() - interval '15 seconds'`);
  return row.live;
}

export async function removeInstance(db: Queryable, instance: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM gateway_instance WHERE id = ${instance}`);
}
