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
  let alike: LedgerRow[] = [];
  for (const row of rows) {
    // Mostly it is as the one before, and its name, which is dear, need not be made.
    if (alike[0] === undefined || !isAlike(row, alike[0])) alike = groupAt(groups, row);
    alike.push(row);
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

function groupAt(groups: Map<string, LedgerRow[]>, row: LedgerRow): LedgerRow[] {
  // Arguments are long and seldom the same: such a call has a head of its own.
  const name = row.arguments === null ? nameOf(row) : row.call_id;
  let group = groups.get(name);
  if (group === undefined) groups.set(name, (group = []));
  return group;
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

const isAlike = (row: LedgerRow, other: LedgerRow): boolean =>
  row.arguments === null &&
  other.arguments === null &&
  columns.every((column) => row[column] === other[column]);

const nameOf = (row: LedgerRow): string => JSON.stringify(columns.map((column) => row[column]));
