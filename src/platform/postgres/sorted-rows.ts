import { z } from 'zod';
import { sortOf } from '../http/list-query.ts';
import type { ListQuery, Sort } from '../http/list-query.ts';
import { invalidCursor } from '../http/pages.ts';
import type { Page } from '../http/pages.ts';
import { isUuid } from '../ids.ts';
import { sql } from './database.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/**
 * The columns by which the rows of a list are searched and sorted. All are of one table: an index of
 * two does not exist.
 */
export interface SortColumns {
  id: Fragment;
  /** Ids of joined rows, equal to `id`: the index of each then begins at the position of the page. */
  equalIds?: readonly Fragment[];
  /** Ids sort by creation; by default, the newest is first. */
  isOldestFirst?: boolean;
  /** Indexed as `(lower(name)) COLLATE "C"`, after the columns that choose the list. */
  name?: Fragment;
  last_used_at?: Fragment;
  created_at?: Fragment;
}

/** Adds to a row's schema its position in the list. */
export const positioned = <Shape extends z.ZodRawShape>(row: z.ZodObject<Shape>) =>
  row.extend({ position: z.string() });

/** The parts of a statement that reads a page. */
export interface SortedPage {
  /** A column: the row's position, for `toRowsPage`. */
  position: Fragment;
  /** Conditions that begin with AND. */
  conditions: Fragment;
  /** ORDER BY and LIMIT; one row more than the page has. */
  order: Fragment;
}

/** Returns the parts of a statement; throws 400 for a cursor of another order. */
export function sortedPage(columns: SortColumns, query: ListQuery): SortedPage {
  const sort = sortOf(query);
  const { id } = columns;
  const by = expressionOf(columns, sort);
  const after = query.cursor === undefined ? null : parsePosition(query.cursor, sort);
  const conditions = [...searchConditions(columns, query), ...afterConditions(columns, by, after)];
  const direction = columns.isOldestFirst === true ? sql.fragment`ASC` : sql.fragment`DESC`;
  const sorted = by === null ? sql.fragment`${id} ${direction}` : sql.fragment`${by}, ${id}`;
  return {
    position: sql.fragment`
      json_build_array(${sort}::text, ${by ?? sql.fragment`NULL`}, ${id})::text AS position`,
    conditions: sql.fragment`AND ${sql.join([sql.fragment`true`, ...conditions], sql.fragment` AND `)}`,
    order: sql.fragment`ORDER BY ${sorted} LIMIT ${query.limit + 1}`,
  };
}

/** Builds a page from the rows read; the extra row shows that there is a next page. */
export function toRowsPage<Row extends { position: string }>(
  rows: readonly Row[],
  { limit }: { limit: number },
): Page<Omit<Row, 'position'>> {
  const data = rows.slice(0, limit);
  return {
    data: data.map(({ position: _position, ...row }) => row),
    next_cursor: rows.length > limit ? data.at(-1)!.position : null,
  };
}

/** Returns what the rows are sorted by before their ids; null: by ids alone. */
function expressionOf({ name, last_used_at, created_at }: SortColumns, sort: Sort) {
  if (sort === 'name' && name) return sql.fragment`lower(${name}) COLLATE "C"`;
  if (sort === 'last_used_at' && last_used_at && created_at)
    return sql.fragment`coalesce(${last_used_at}, ${created_at})`;
  return null;
}

function searchConditions(columns: SortColumns, { q, unused_days }: ListQuery): Fragment[] {
  const byName = expressionOf(columns, 'name');
  const byUse = expressionOf(columns, 'last_used_at');
  return [
    ...(q !== undefined && byName ? [beginsWith(byName, q)] : []),
    ...(unused_days !== undefined && byUse
      ? [sql.fragment`${byUse} < now() - make_interval(days => ${unused_days})`]
      : []),
  ];
}

/** The condition that a column, lowered and in the collation C, begins with a text. */
export const beginsWith = (column: Fragment, text: string): Fragment =>
  sql.fragment`${column} LIKE lower(${escapeLike(text.normalize('NFC'))}) || '%'`;

const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

function afterConditions(
  { id, equalIds = [], isOldestFirst = false }: SortColumns,
  by: Fragment | null,
  after: Position | null,
): Fragment[] {
  if (after === null) return [];
  if (by === null) {
    const isAfter = isOldestFirst ? sql.fragment`>` : sql.fragment`<`;
    return [id, ...equalIds].map((one) => sql.fragment`${one} ${isAfter} ${after.id}::uuid`);
  }
  const isTime = after.sort === 'last_used_at';
  const value = isTime
    ? sql.fragment`${after.value}::timestamptz`
    : sql.fragment`${after.value}::text`;
  return [sql.fragment`(${by}, ${id}) > (${value}, ${after.id}::uuid)`];
}

interface Position {
  sort: Sort;
  value: string | null;
  id: string;
}

const PositionJson = z.tuple([z.string(), z.string().nullable(), z.uuid()]);

/** Cursors are signed, but one may be of the same list in another order. */
function parsePosition(cursor: string, sort: Sort): Position {
  // A gateway of the release before sorts by ids alone.
  if (sort === '-created_at' && isUuid(cursor)) return { sort, value: null, id: cursor };
  const parsed = PositionJson.safeParse(parseJson(cursor));
  if (!parsed.success || parsed.data[0] !== sort) throw invalidCursor();
  const [, value, id] = parsed.data;
  return { sort, value, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
