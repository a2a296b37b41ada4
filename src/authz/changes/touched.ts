import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { ObjectsOmitted } from './concurrent-update.ts';
import type { Slice } from '../tuple.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** Tables that tuples are projected from; their triggers record the rows that a change touches. */
export interface ProjectedTables {
  /** The columns that each table's triggers record, with their types. */
  columns: Readonly<Record<string, Fragment>>;
  slices: readonly TouchedSlices[];
}

/** Objects whose tuples the touched rows of a table may affect. */
export interface TouchedSlices {
  table: string;
  /** Returns whether a row, with its recorded columns, may affect such objects; all do by default. */
  when?(row: Readonly<Record<string, unknown>>): boolean;
  /**
   * Selects from `touched_<table>` the objects and the subjects, null for all of them. Where a row
   * depends on one of another table, that may be a stored or a touched one, since a touched one
   * may be deleted.
   */
  select: Fragment;
}

/** The setting that the triggers read (migrations/0041_projected_rows.sql). */
export const RECORDER = 'toolgate.projected_rows';
/** Makes a session refuse to touch projected rows, except in a change. */
export const ONLY_IN_CHANGES = `${RECORDER}=refused`;

const TouchedRow = z.object({
  table_name: z.string(),
  operation: z.string(),
  content: z.record(z.string(), z.json()),
});
const SliceRow = z.object({ object: z.string(), subject: z.string().nullable() });

/**
 * Returns the slices whose tuples the touched rows of a change's transaction may affect. Asks only
 * what concerns these rows: planning all selects takes longer than all other statements of a change.
 */
export async function listTouched(
  transaction: Transaction,
  tables: readonly ProjectedTables[],
): Promise<Slice[]> {
  if (tables.length === 0) return [];
  const touched = await transaction.any(sql.type(TouchedRow)`
    DELETE FROM authz_touched WHERE transaction = pg_current_xact_id()
    RETURNING table_name, operation, content`);
  const selects = tables
    .flatMap(({ slices }) => slices)
    .filter(({ table, when = () => true }) =>
      touched.some(({ table_name, content }) => table_name === table && when(content)),
    )
    .map(({ select }) => select);
  if (selects.length === 0) return [];
  const touchedTables = tables
    .flatMap(({ columns }) => Object.entries(columns))
    .filter(([table]) => selects.some((select) => select.sql.includes(`touched_${table}`)))
    .map(([table, types]) => touchedTable(table, types));
  const rows = await transaction.any(sql.type(SliceRow)`
    WITH touched AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${sql.jsonb([...touched])})
      AS touched (table_name text, operation text, content jsonb)),
    ${sql.join(touchedTables, sql.fragment`, `)}
    SELECT DISTINCT object, subject
    FROM (${sql.join(selects, sql.fragment` UNION ALL `)}) AS slice (object, subject)`);
  return rows.map(({ object, subject }) => (subject === null ? { object } : { object, subject }));
}

const touchedTable = (table: string, types: Fragment) => sql.fragment`
  ${sql.identifier([`touched_${table}`])} AS (
    SELECT operation, touched_row.*
    FROM touched, jsonb_to_record(content) AS touched_row (${types})
    WHERE table_name = ${table})`;

/** Returns the touched slices that a change does not list. */
export function missingFrom(listed: readonly Slice[], touched: readonly Slice[]): Slice[] {
  const whole = new Set<string>();
  const parts = new Set<string>();
  for (const { object, subject } of listed)
    if (subject === undefined) whole.add(object);
    else parts.add(`${object} ${subject}`);
  return touched.filter(
    ({ object, subject }) => !whole.has(object) && !parts.has(`${object} ${subject}`),
  );
}

/**
 * Throws `ObjectsOmitted` if a change touched rows of an object that it does not list, and whose tuples
 * would differ from its rows forever.
 */
export async function requireListed(
  transaction: Transaction,
  { reason, objects }: { reason: string; objects: readonly Slice[] },
  tables: readonly ProjectedTables[],
): Promise<void> {
  const forgotten = missingFrom(objects, await listTouched(transaction, tables));
  if (forgotten.length === 0) return;
  const names = forgotten.map(({ object, subject = 'all subjects' }) => `${object} (${subject})`);
  throw new ObjectsOmitted(
    `${reason} touches rows of ${names.join(', ')}, which its objects omit.`,
  );
}
