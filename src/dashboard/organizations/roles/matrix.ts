import type { Permission } from '../../../authz/permissions.ts';
import type { TextName } from '../../texts/texts.ts';
import { ROLE_KINDS } from './role-kinds.ts';
import type { RoleKind } from './role-kinds.ts';

/** The column of each verb; verbs that only some nouns have share the last one. */
const COLUMNS = {
  read: 0,
  create: 1,
  write: 2,
  update: 2,
  delete: 3,
  remove: 3,
  revoke: 3,
  invite: 4,
  promote: 4,
} as const;
type Verb = keyof typeof COLUMNS;

export interface Cell {
  grant: string;
  column: number;
  verb: TextName;
  noun: TextName;
}

export interface Row {
  noun: TextName;
  cells: Cell[];
}

/** Returns the rows of a matrix: one for each noun, with a cell for each verb that it has. */
export function rowsOf(kind: RoleKind): Row[] {
  const rows = new Map<string, Row>();
  for (const permission of ROLE_KINDS[kind].table) {
    const cell = cellOf(permission);
    if (cell === null) continue;
    const row = rows.get(permission.family) ?? { noun: cell.noun, cells: [] };
    row.cells.push(cell);
    rows.set(permission.family, row);
  }
  return [...rows.values()];
}

function cellOf({ grant, family, verb }: Permission): Cell | null {
  if (grant === null) return null;
  return {
    grant,
    column: COLUMNS[verb as Verb],
    verb: `org_verb.${verb as Verb}`,
    // The texts have a word for each family of the table, which a test compares.
    noun: `org_noun.${family}` as TextName,
  };
}

/** Returns, for each permission that others imply, one of these. */
export function impliedBy(kind: RoleKind, selected: readonly string[]): Map<string, string> {
  const implied = new Map<string, string>();
  for (const source of selected)
    for (const target of ROLE_KINDS[kind].closure(new Set([source])))
      if (target !== source && !implied.has(target)) implied.set(target, source);
  return implied;
}
