import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { sourcesOf } from '../../authz/permissions.ts';
import type { Permission } from '../../authz/permissions.ts';
import classes from './permission-matrix.module.css';

const COLUMNS = ['read', 'create', 'update', 'delete'] as const;
type Column = (typeof COLUMNS)[number];

/** A cell of the matrix; `name` is what a grant or a scope calls the permission. */
interface Cell {
  permission: Permission;
  column: Column;
  name: string;
}

/**
 * Chooses permissions of a person's own account: a row for each noun, a column for each verb. What
 * a chosen one implies is ticked and cannot be unticked.
 */
export function PermissionMatrix({
  table,
  nameOf,
  selected,
  onChange,
  label,
}: {
  table: readonly Permission[];
  nameOf(permission: Permission): string | null;
  selected: readonly string[];
  onChange(selected: string[]): void;
  label: string;
}) {
  const { t } = useTranslation();
  const cells = cellsOf(table, nameOf);
  const families = [...new Set(cells.map(({ permission }) => permission.family))];
  const choose = (names: readonly string[], isChosen: boolean) =>
    onChange(
      isChosen
        ? [...new Set([...selected, ...names])]
        : selected.filter((name) => !names.includes(name)),
    );
  const group = (part: readonly Cell[], aria: string, text?: string) => (
    <GroupBox
      {...(text === undefined ? {} : { label: text })}
      aria={aria}
      chosen={part.filter(({ name }) => selected.includes(name)).length}
      total={part.length}
      onChange={(isChosen) =>
        choose(
          part.map(({ name }) => name),
          isChosen,
        )
      }
    />
  );
  return (
    <table className={classes.matrix} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t('matrix.noun')}</th>
          {COLUMNS.map((column) => (
            <th key={column} scope="col">
              <span className={classes.verb}>{t(`matrix.${column}`)}</span>
              {group(
                cells.filter((cell) => cell.column === column),
                t('matrix.all_of_verb', { verb: t(`matrix.${column}`) }),
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {families.map((family) => {
          const row = cells.filter(({ permission }) => permission.family === family);
          const noun = t(`noun.${family as 'tools'}`);
          return (
            <tr key={family}>
              <th scope="row">{group(row, t('matrix.all_of_noun', { noun }), noun)}</th>
              {COLUMNS.map((column) => (
                <td key={column}>
                  {row
                    .filter((cell) => cell.column === column)
                    .map((cell) => (
                      <CellBox
                        key={cell.name}
                        cell={cell}
                        source={sourceOf(cell, row, selected)}
                        isChosen={selected.includes(cell.name)}
                        onChange={(isChosen) => choose([cell.name], isChosen)}
                      />
                    ))}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A box for a whole row or column: ticked, partly ticked or empty. */
function GroupBox({
  label,
  aria,
  chosen,
  total,
  onChange,
}: {
  label?: string;
  aria: string;
  chosen: number;
  total: number;
  onChange(isChosen: boolean): void;
}) {
  return (
    <Checkbox
      size="xs"
      label={label}
      aria-label={aria}
      checked={chosen === total}
      indeterminate={chosen > 0 && chosen < total}
      onChange={() => onChange(chosen < total)}
    />
  );
}

function CellBox({
  cell: { permission, name, column },
  source,
  isChosen,
  onChange,
}: {
  cell: Cell;
  source: Cell | undefined;
  isChosen: boolean;
  onChange(isChosen: boolean): void;
}) {
  const { t } = useTranslation();
  const spoken = (of: Column) =>
    t('matrix.cell', { verb: t(`matrix.${of}`), noun: t(`noun.${permission.family as 'tools'}`) });
  const reason =
    source === undefined ? undefined : t('matrix.implied', { source: spoken(source.column) });
  return (
    <Checkbox
      size="xs"
      aria-label={reason === undefined ? spoken(column) : `${spoken(column)}. ${reason}`}
      title={reason ?? name}
      checked={isChosen || source !== undefined}
      disabled={source !== undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}

const cellsOf = (
  table: readonly Permission[],
  nameOf: (permission: Permission) => string | null,
): Cell[] =>
  table.flatMap((permission) => {
    const name = nameOf(permission);
    const column = COLUMNS.find((verb) => verb === columnOf(permission.verb));
    return name === null || column === undefined ? [] : [{ permission, name, column }];
  });

const columnOf = (verb: string) => (verb === 'write' ? 'update' : verb);

/** Returns a chosen permission of the row that implies this one. */
const sourceOf = (cell: Cell, row: readonly Cell[], selected: readonly string[]) => {
  const sources = sourcesOf(cell.permission);
  return row.find(
    ({ permission, name }) => sources.includes(permission.relation) && selected.includes(name),
  );
};
