import { sql } from '../platform/database.ts';
import type { LedgerRow } from './store.ts';

/**
 * The rows as a table of a statement, in one JSON text: a thousand rows in twelve arrays cost the
 * driver ten times as much to write. Calls that differ in nothing but their id and duration stand
 * under one head, since PostgreSQL spent a third of an insert on reading the same members again.
 */
export const callRows = (rows: readonly LedgerRow[]) => sql.fragment`(
  SELECT call_id, month, owner_kind, owner_id, kind, counted, account_id, key_id, item_id, item_name,
    arguments, outcome, layer, duration_ms
  FROM json_to_recordset(${JSON.stringify(headsOf(rows))}::json) AS head (month date,
    owner_kind text, owner_id uuid, kind text, counted bool, account_id uuid, key_id uuid,
    item_id text, item_name text, arguments text, outcome text, layer text, call_ids uuid[],
    durations_ms int4[])
  CROSS JOIN unnest(call_ids, durations_ms) AS call (call_id, duration_ms)
) AS row`;

/** What calls have in common; the lists as PostgreSQL writes arrays, which it reads the fastest. */
interface Head extends Omit<LedgerRow, 'call_id' | 'duration_ms'> {
  call_ids: string;
  durations_ms: string;
}

function headsOf(rows: readonly LedgerRow[]): Head[] {
  const groups = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return Array.from(groups.values(), (group) => {
    const { call_id: _id, duration_ms: _ms, ...common } = group[0]!;
    return {
      ...common,
      call_ids: `{${group.map(({ call_id }) => call_id).join(',')}}`,
      durations_ms: `{${group.map(({ duration_ms }) => duration_ms ?? 'NULL').join(',')}}`,
    };
  });
}

/** Of all but id and duration. */
const nameOf = (row: LedgerRow): string =>
  JSON.stringify([
    row.month,
    row.owner_kind,
    row.owner_id,
    row.kind,
    row.counted,
    row.account_id,
    row.key_id,
    row.item_id,
    row.item_name,
    row.arguments,
    row.outcome,
    row.layer,
  ]);
