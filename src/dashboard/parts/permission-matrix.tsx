import { Checkbox, Group, Text } from '@mantine/core';
import { memo, useId, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Permission } from '../../authz/permissions.ts';
import { FilterField } from './filter-field.tsx';
import { COLUMNS, impliedBy, rowsOf } from './permission-rows.ts';
import type { Cell, Row } from './permission-rows.ts';
import type { TextName, Translate } from '../texts/texts.ts';
import classes from './permission-matrix.module.css';

interface Choice {
  value: readonly string[];
  /** Permissions that the person may give; null if only the service can tell. */
  held?: ReadonlySet<string> | null;
  isReadOnly?: boolean;
  onChange(value: string[]): void;
}

/** A choice, with what of it can be changed and why the rest cannot. */
interface OpenChoice extends Choice {
  implied: ReadonlyMap<string, Cell>;
  isGiven(cell: Cell): boolean;
  isOpen(cell: Cell): boolean;
}

const grantOf = ({ grant }: Permission) => grant;

/**
 * Chooses permissions: a row for each noun, a column for each verb. What a chosen one implies is
 * ticked and locked; what the person does not hold cannot be ticked. It is not drawn again while its
 * properties are the same, as when another field of the form changes.
 */
export const PermissionMatrix = memo(function PermissionMatrix({
  table,
  nameOf = grantOf,
  label,
  error,
  ...choice
}: Choice & {
  table: readonly Permission[];
  /** What the permission is called where it is sent; null leaves it out. */
  nameOf?(permission: Permission): string | null;
  label: string;
  error?: ReactNode;
}) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  const rows = useMemo(() => rowsOf(table, nameOf), [table, nameOf]);
  const cells = rows.flatMap((row) => row.cells);
  const open = openChoice(choice, cells);
  const matches = rows.filter((row) =>
    [t(row.noun as TextName), ...row.cells.map(({ name }) => name)]
      .join(' ')
      .toLowerCase()
      .includes(filter.trim().toLowerCase()),
  );
  return (
    <fieldset className="plain" aria-label={label} aria-invalid={Boolean(error)}>
      <Group justify="space-between" align="end" mb="xs" gap="sm">
        <legend>
          {label}{' '}
          <Text span size="sm" c="dimmed" role="status">
            {t('matrix.count', { count: cells.filter(open.isGiven).length, total: cells.length })}
          </Text>
        </legend>
        <FilterField
          size="xs"
          aria-label={`${t('form.search')}: ${label}`}
          placeholder={t('form.search')}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </Group>
      {error && (
        <Text role="alert" size="sm" c="red" mb="xs">
          {error}
        </Text>
      )}
      <div className={`card list ${classes.matrix}`}>
        {matches.length > 1 && <ColumnBoxes rows={matches} choice={open} />}
        {matches.map((row) => (
          <MatrixRow key={row.noun} row={row} choice={open} />
        ))}
        {matches.length === 0 && <Text className="list-row">{t('mcp.no_match')}</Text>}
      </div>
    </fieldset>
  );
});

function openChoice({ held = null, ...choice }: Choice, cells: readonly Cell[]): OpenChoice {
  const { value, isReadOnly = false } = choice;
  const implied = impliedBy(cells, value);
  return {
    ...choice,
    implied,
    isGiven: ({ name }) => value.includes(name) || implied.has(name),
    isOpen: ({ name }) =>
      !isReadOnly &&
      !implied.has(name) &&
      // What was given before may be taken away without holding it.
      (held === null || held.has(name) || value.includes(name)),
  };
}

/** Selects a whole column, as far as it is shown. */
function ColumnBoxes({ rows, choice }: { rows: readonly Row[]; choice: OpenChoice }) {
  const { t } = useTranslation();
  const cells = rows.flatMap((row) => row.cells);
  return (
    <div className={`list-row ${classes.row}`} role="group" aria-label={t('matrix.columns')}>
      <GroupBox cells={cells} choice={choice} label={t('matrix.all')} aria={t('matrix.all')} />
      {COLUMNS.filter((column) => cells.some((cell) => cell.column === column)).map((column) => (
        <div key={column} className={classes[column]}>
          <GroupBox
            cells={cells.filter((cell) => cell.column === column)}
            choice={choice}
            label={t(`matrix.${column}`)}
            aria={t('matrix.all_of', { noun: t(`matrix.${column}`) })}
          />
        </div>
      ))}
    </div>
  );
}

function MatrixRow({ row: { noun, cells }, choice }: { row: Row; choice: OpenChoice }) {
  const { t } = useTranslation();
  const id = useId();
  const reasons = useReasons(cells, choice);
  return (
    <div className={`list-row ${classes.row}`} role="group" aria-label={t(noun as TextName)}>
      <GroupBox
        cells={cells}
        choice={choice}
        label={t(noun as TextName)}
        aria={t('matrix.all_of', { noun: t(noun as TextName) })}
      />
      {cells.map((cell) => (
        <Checkbox
          key={cell.name}
          size="xs"
          className={classes[cell.column] ?? ''}
          label={t(cell.verb as TextName)}
          aria-label={spoken(cell, t)}
          aria-describedby={reasons.some(({ of }) => of.includes(cell)) ? id : undefined}
          title={cell.name}
          checked={choice.isGiven(cell)}
          disabled={!choice.isOpen(cell)}
          onChange={({ currentTarget }) => choose(choice, [cell.name], currentTarget.checked)}
        />
      ))}
      {reasons.length > 0 && (
        <Text size="xs" c="dimmed" id={id} className={classes.reasons ?? ''}>
          {reasons.map(({ text }) => text).join(' ')}
        </Text>
      )}
    </div>
  );
}

/** Why cells of a row cannot be changed; nothing can in a matrix that is only read. */
function useReasons(cells: readonly Cell[], choice: OpenChoice) {
  const { t, i18n } = useTranslation();
  if (choice.isReadOnly === true) return [];
  const implied = cells.flatMap((cell) => {
    const source = choice.implied.get(cell.name);
    if (source === undefined) return [];
    const text = t('matrix.implied', { verb: t(cell.verb as TextName), source: spoken(source, t) });
    return [{ of: [cell], text }];
  });
  const foreign = cells.filter((cell) => !choice.isOpen(cell) && !choice.implied.has(cell.name));
  if (foreign.length === 0) return implied;
  const list = new Intl.ListFormat(i18n.resolvedLanguage ?? 'en');
  const verbs = list.format(foreign.map(({ verb }) => t(verb as TextName)));
  return [...implied, { of: foreign, text: t('matrix.not_held', { verbs }) }];
}

/** A box for several cells: ticked, partly ticked or empty. */
function GroupBox({
  cells,
  choice,
  label,
  aria,
}: {
  cells: readonly Cell[];
  choice: OpenChoice;
  label: string;
  aria: string;
}) {
  const open = cells.filter(choice.isOpen);
  const isAll = cells.every(choice.isGiven);
  return (
    <Checkbox
      size="xs"
      className={classes.group ?? ''}
      label={label}
      aria-label={aria}
      checked={isAll}
      indeterminate={!isAll && cells.some(choice.isGiven)}
      disabled={open.length === 0}
      onChange={() =>
        choose(
          choice,
          open.map(({ name }) => name),
          !open.every(choice.isGiven),
        )
      }
    />
  );
}

const choose = ({ value, onChange }: OpenChoice, names: readonly string[], isChosen: boolean) =>
  onChange(
    isChosen ? [...new Set([...value, ...names])] : value.filter((name) => !names.includes(name)),
  );

const spoken = ({ verb, noun }: Cell, t: Translate): string =>
  t('matrix.cell', { verb: t(verb as TextName), noun: t(noun as TextName) });
