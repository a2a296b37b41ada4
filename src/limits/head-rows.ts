import { sql } from '../platform/database.ts';
import type { LedgerRow } from './store.ts';

/**
 * Rows as heads: calls that differ in nothing but their id and duration share one, since PostgreSQL
 * spent a third of an insert on reading the same members again. They travel as one JSON text: in
 * arrays, one a column, they cost the driver ten times as much to write.
 */
export const headRows = (rows: readonly LedgerRow[]) =>
  sql.fragment`json_to_recordset(${JSON.stringify(headsOf(rows))}::json) AS head (month date,
  owner_kind text, owner_id uuid, kind text, counted bool, account_id uuid, key_id uuid,
  item_id text, item_name text, arguments text, outcome text, layer text, call_ids uuid[],
  durations_ms int4[])`;

type Common = Omit<LedgerRow, 'call_id' | 'duration_ms'>;

/** The lists as PostgreSQL writes arrays, which it reads the fastest. */
interface Head extends Common {
  call_ids: string;
  durations_ms: string;
}

function headsOf(rows: readonly LedgerRow[]): Head[] {
  const groups = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    // Arguments are long and seldom the same: such a call has a head of its own.
    const name = row.arguments === null ? nameOf(row) : row.call_id;
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

// As an object, so that the compiler misses a column that is not here.
const named: Record<keyof Omit<Common, 'arguments'>, true> = {
  month: true,
  owner_kind: true,
  owner_id: true,
  kind: true,
  counted: true,
  account_id: true,
  key_id: true,
  item_id: true,
  item_name: true,
  outcome: true,
  layer: true,
};
const columns = Object.keys(named) as (keyof typeof named)[];

const nameOf = (row: LedgerRow): string => JSON.stringify(columns.map((column) => row[column]));
