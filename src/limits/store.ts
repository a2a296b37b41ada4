import { z } from 'zod';
import type { Owner } from '../caller/caller.ts';
import { sql } from '../platform/database.ts';
import type { Connection } from '../platform/database.ts';
import type { CallKind } from './admission.ts';

type OwnerRef = Pick<Owner, 'kind' | 'id'>;

/** A call as the ledger keeps it. What is null is not known yet: it is admitted and runs. */
export interface LedgerRow {
  call_id: string;
  /** `YYYY-MM`, UTC. */
  month: string;
  owner: OwnerRef;
  kind: CallKind;
  counted: boolean;
  account_id: string | null;
  key_id: string | null;
  tool_id: string | null;
  tool_name: string | null;
  outcome: string | null;
  duration_ms: number | null;
}

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
 * Inserts the rows that are not there yet and raises each month by exactly those, in one
 * statement: sent twice, the second time adds nothing. Answers the totals of all months named.
 */
export async function insertCalls(connection: Connection, rows: readonly LedgerRow[]) {
  const totals = await connection.any(sql.type(TotalRow)`
    WITH given AS (
      SELECT * FROM ${callRows(rows)}
    ), inserted AS (
      INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted, account_id,
        key_id, tool_id, tool_name, outcome, duration_ms)
      SELECT * FROM given ORDER BY call_id
      ON CONFLICT (call_id, month) DO NOTHING
      RETURNING owner_kind, owner_id, month, counted
    ), raised AS (
      INSERT INTO usage_month AS total (owner_kind, owner_id, month, calls)
      SELECT owner_kind, owner_id, month, count(*) FROM inserted WHERE counted
      GROUP BY owner_kind, owner_id, month ORDER BY owner_id, owner_kind, month
      ON CONFLICT (owner_id, owner_kind, month)
      DO UPDATE SET calls = total.calls + excluded.calls
      RETURNING owner_kind, owner_id, month, calls
    )
    SELECT DISTINCT owner_kind, owner_id, to_char(month, 'YYYY-MM') AS month,
      coalesce(raised.calls, known.calls, 0) AS calls
    FROM given
    LEFT JOIN raised USING (owner_kind, owner_id, month)
    LEFT JOIN usage_month known USING (owner_kind, owner_id, month)
    WHERE given.counted`);
  return totals.map(({ owner_kind, owner_id, month, calls }) => ({
    owner: { kind: owner_kind, id: owner_id },
    month,
    calls,
  }));
}

/** Tells how calls ended whose rows were inserted while they ran. */
export async function finishCalls(connection: Connection, rows: readonly LedgerRow[]) {
  await connection.query(sql.unsafe`
    UPDATE usage_ledger call SET account_id = ended.account_id, key_id = ended.key_id,
      tool_id = ended.tool_id, tool_name = ended.tool_name, outcome = ended.outcome,
      duration_ms = ended.duration_ms
    FROM (SELECT * FROM ${callRows(rows)} ORDER BY call_id) ended
    WHERE call.call_id = ended.call_id AND call.month = ended.month AND call.outcome IS NULL`);
}

// As one text: a thousand rows in twelve arrays cost the driver ten times as much to write.
const callRows = (rows: readonly LedgerRow[]) => sql.fragment`json_to_recordset(${JSON.stringify(
  rows.map(({ owner, month, ...row }) => ({
    ...row,
    month: `${month}-01`,
    owner_kind: owner.kind,
    owner_id: owner.id,
  })),
)}::json) AS row (call_id uuid, month date, owner_kind text, owner_id uuid, kind text, counted bool,
  account_id uuid, key_id uuid, tool_id text, tool_name text, outcome text, duration_ms int4)`;

export async function readCalls(connection: Connection, owner: OwnerRef, month: string) {
  const row = await connection.one(sql.type(CallsRow)`
    SELECT coalesce((
      SELECT calls FROM usage_month
      WHERE owner_kind = ${owner.kind} AND owner_id = ${owner.id}
        AND month = ${`${month}-01`}::date
    ), 0) AS calls`);
  return row.calls;
}

/** This month by the database's clock: what counts while Redis and its clock are away. */
export function readThisMonth(connection: Connection, owner: OwnerRef) {
  return connection.one(sql.type(MonthRow)`
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
  at: z.string(),
  kind: z.string(),
  key_id: z.string().nullable(),
  tool_id: z.string().nullable(),
  tool_name: z.string().nullable(),
  outcome: z.string().nullable(),
  duration_ms: z.number().nullable(),
});

/** Every month and the newest calls of an account, as they were written. */
export async function exportUsage(connection: Connection, account_id: string, most: number) {
  const months = await connection.any(sql.type(ExportedMonth)`
    SELECT to_char(month, 'YYYY-MM') AS month, calls FROM usage_month
    WHERE owner_kind = 'account' AND owner_id = ${account_id} ORDER BY month DESC LIMIT ${most}`);
  const calls = await connection.any(sql.type(ExportedCall)`
    SELECT created_at AS at, kind, key_id, tool_id, tool_name, outcome, duration_ms
    FROM usage_ledger WHERE owner_kind = 'account' AND owner_id = ${account_id}
    ORDER BY created_at DESC LIMIT ${most}`);
  return { months, calls };
}

/** Those of the months ahead are made, and those of more than thirteen months ago dropped. */
export async function preparePartitions(connection: Connection): Promise<void> {
  await connection.query(sql.unsafe`SELECT usage_ledger_prepare(2)`);
  await connection.query(sql.unsafe`SELECT usage_ledger_forget(13)`);
}

/** Says that this gateway lives, and answers how many do, itself among them. */
export async function beat(connection: Connection, instance: string): Promise<number> {
  const row = await connection.one(sql.type(LiveRow)`
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

export async function leave(connection: Connection, instance: string): Promise<void> {
  await connection.query(sql.unsafe`DELETE FROM gateway_instance WHERE id = ${instance}`);
}
