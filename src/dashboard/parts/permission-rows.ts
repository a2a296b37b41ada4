import { sourcesOf } from '../../authz/permissions.ts';
import type { Permission } from '../../authz/permissions.ts';

/** The columns of a matrix; verbs that only some nouns have share the last one. */
export const COLUMNS = ['read', 'create', 'update', 'delete', 'other'] as const;
export type Column = (typeof COLUMNS)[number];

const COLUMN_OF: Readonly<Record<string, Column>> = {
  ...{ read: 'read', create: 'create', write: 'update', update: 'update' },
  ...{ delete: 'delete', remove: 'delete', revoke: 'delete', invite: 'other', promote: 'other' },
};

/** A permission in a matrix; `name` is what a grant, a role or a scope calls it. */
export interface Cell {
  permission: Permission;
  name: string;
  column: Column;
  /** Names of texts, which the tables' verbs and nouns have all; a test compares. */
  verb: `verb.${string}`;
  noun: `noun.${string}`;
  /** The cells that imply it. */
  sources: Cell[];
}

export interface Row {
  noun: Cell['noun'];
  cells: Cell[];
}

/**
 * Returns the rows of a matrix: one for each noun, with a cell for each verb that it has. `nameOf`
 * returns null for a permission that the matrix leaves out.
 */
export function rowsOf(
  table: readonly Permission[],
  nameOf: (permission: Permission) => string | null,
): Row[] {
  const rows = new Map<string, Row>();
  const cells = new Map<string, Cell>();
  for (const permission of table) {
    const name = nameOf(permission);
    if (name === null) continue;
    const { family, verb } = permission;
    const noun = `noun.${family}` as const;
    const cell: Cell = {
      ...{ permission, name, noun, verb: `verb.${verb}`, sources: [] },
      column: COLUMN_OF[verb] ?? 'other',
    };
    const row = rows.get(family) ?? { noun, cells: [] };
    row.cells.push(cell);
    rows.set(family, row);
    cells.set(permission.relation, cell);
  }
  for (const cell of cells.values())
    cell.sources = sourcesOf(cell.permission).flatMap((relation) => cells.get(relation) ?? []);
  return [...rows.values()];
}

/** Returns, for each permission that others imply, one of these. */
export function impliedBy(
  cells: readonly Cell[],
  selected: ReadonlySet<string>,
): ReadonlyMap<string, Cell> {
  const implied = new Map<string, Cell>();
  const isGiven = ({ name }: Cell) => selected.has(name) || implied.has(name);
  // Some imply in two steps, so that what is found may imply more.
  for (let before = -1; before < implied.size;) {
    before = implied.size;
    for (const cell of cells) {
      if (implied.has(cell.name)) continue;
      const source = cell.sources.find(isGiven);
      if (source !== undefined) implied.set(cell.name, source);
    }
  }
  return implied;
}
