import { Group, Text } from '@mantine/core';
import { memo, useCallback, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Permission } from '../../authz/permissions.ts';
import { CellBox } from './cell-box.tsx';
import { FilterField } from './filter-field.tsx';
import { COLUMNS, impliedBy, rowsOf } from './permission-rows.ts';
import type { Cell } from './permission-rows.ts';
import type { TextName, Translate } from '../texts/texts.ts';
import classes from './permission-matrix.module.css';

interface Choice {
  value: readonly string[];
  /** Permissions that the person may give; null if only the service can tell. */
  held?: ReadonlySet<string> | null;
}

/** What the box of a cell shows. */
interface Box {
  cell: Cell;
  isGiven: boolean;
  /** Whether it can be changed. */
  isOpen: boolean;
  /** A chosen cell that implies it. */
  source: Cell | undefined;
}

type Choose = (names: readonly string[], isChosen: boolean) => void;

const grantOf = ({ grant }: Permission) => grant;

/**
 * Chooses permissions: a row for each noun, a column for each verb. What a chosen one implies is
 * ticked and locked; what the person does not hold cannot be ticked. With a hundred boxes, only the
 * rows that changed are drawn again, and none when another field of the form changes.
 */
export const PermissionMatrix = memo(function PermissionMatrix({
  table,
  nameOf = grantOf,
  label,
  error,
  onChange,
  ...choice
}: Choice & {
  table: readonly Permission[];
  /** What the permission is called where it is sent; null leaves it out. */
  nameOf?(permission: Permission): string | null;
  label: string;
  error?: ReactNode;
  onChange(value: string[]): void;
}) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  const rows = useMemo(() => rowsOf(table, nameOf), [table, nameOf]);
  const boxes = boxesOf(
    choice,
    rows.flatMap(({ cells }) => cells),
  );
  const chosen = boxes.filter(({ cell }) => choice.value.includes(cell.name));
  const implied = boxes.filter(({ isGiven }) => isGiven).length - chosen.length;
  const choose = useChoose(choice.value, onChange);
  const matches = rows.filter((row) =>
    [t(row.noun as TextName), ...row.cells.map(({ name }) => name)]
      .join(' ')
      .toLowerCase()
      .includes(filter.trim().toLowerCase()),
  );
  const shown = matches.map(({ noun }) => ({
    noun,
    boxes: boxes.filter(({ cell }) => cell.noun === noun),
  }));
  return (
    <fieldset className="plain" aria-label={label} aria-invalid={Boolean(error)}>
      <Group justify="space-between" align="end" mb="xs" gap="sm">
        <legend>
          <Text span size="sm" fw={600}>
            {label}
          </Text>{' '}
          <Text span size="sm" c="dimmed" role="status">
            {t('matrix.count', { count: chosen.length, total: boxes.length })}
            {implied > 0 && ` · ${t('matrix.count_implied', { number: implied })}`}
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
        {shown.length > 1 && (
          <ColumnBoxes boxes={shown.flatMap((row) => row.boxes)} choose={choose} />
        )}
        {shown.map((row) => (
          <MatrixRow key={row.noun} {...row} choose={choose} />
        ))}
        {shown.length === 0 && <Text className="list-row">{t('mcp.no_match')}</Text>}
      </div>
    </fieldset>
  );
});

function boxesOf({ value, held = null }: Choice, cells: readonly Cell[]) {
  const chosen = new Set(value);
  const implied = impliedBy(cells, chosen);
  return cells.map((cell): Box => {
    const { name } = cell;
    const source = implied.get(name);
    return {
      ...{ cell, source },
      isGiven: chosen.has(name) || source !== undefined,
      isOpen:
        source === undefined &&
        // What was given before may be taken away without holding it.
        (held === null || held.has(name) || chosen.has(name)),
    };
  });
}

/** Returns a function that stays the same while the value changes, so that rows need not be drawn. */
function useChoose(value: readonly string[], onChange: (value: string[]) => void): Choose {
  const latest = useRef({ value, onChange });
  useLayoutEffect(() => {
    latest.current = { value, onChange };
  });
  return useCallback((names, isChosen) => {
    const before = latest.current.value;
    latest.current.onChange(
      isChosen
        ? [...new Set([...before, ...names])]
        : before.filter((name) => !names.includes(name)),
    );
  }, []);
}

/** Selects a whole column, as far as it is shown. */
function ColumnBoxes({ boxes, choose }: { boxes: readonly Box[]; choose: Choose }) {
  const { t } = useTranslation();
  const columns = COLUMNS.map((column) => ({
    column,
    boxes: boxes.filter(({ cell }) => cell.column === column),
  })).filter((column) => column.boxes.length > 0);
  return (
    <div className={`list-row ${classes.row}`} role="group" aria-label={t('matrix.columns')}>
      <GroupBox boxes={boxes} choose={choose} label={t('matrix.all')} aria={t('matrix.all')} />
      {columns.map((group) => (
        <div key={group.column} className={classes[group.column]}>
          <GroupBox
            boxes={group.boxes}
            choose={choose}
            label={t(`matrix.${group.column}`)}
            aria={t('matrix.all_of', { noun: t(`matrix.${group.column}`) })}
          />
        </div>
      ))}
    </div>
  );
}

interface RowProperties {
  noun: Cell['noun'];
  boxes: readonly Box[];
  choose: Choose;
}

const MatrixRow = memo(function MatrixRow({ noun, boxes, choose }: RowProperties) {
  const { t } = useTranslation();
  const id = useId();
  const reasons = useReasons(boxes);
  return (
    <div className={`list-row ${classes.row}`} role="group" aria-label={t(noun as TextName)}>
      <GroupBox
        boxes={boxes}
        choose={choose}
        label={t(noun as TextName)}
        aria={t('matrix.all_of', { noun: t(noun as TextName) })}
      />
      {boxes.map((box) => (
        <CellBox
          key={box.cell.name}
          className={classes[box.cell.column]}
          label={t(box.cell.verb as TextName)}
          aria-label={spoken(box.cell, t)}
          aria-describedby={reasons.some(({ of }) => of.includes(box)) ? id : undefined}
          title={box.cell.name}
          isChecked={box.isGiven}
          isDisabled={!box.isOpen}
          onChange={(isChosen) => choose([box.cell.name], isChosen)}
        />
      ))}
      {reasons.length > 0 && (
        <Text size="xs" c="dimmed" id={id} className={classes.reasons ?? ''}>
          {reasons.map(({ text }) => text).join(' ')}
        </Text>
      )}
    </div>
  );
}, isSameRow);

function isSameRow(before: RowProperties, after: RowProperties): boolean {
  return (
    before.choose === after.choose &&
    before.boxes.length === after.boxes.length &&
    before.boxes.every((box, index) => {
      const { cell, isGiven, isOpen, source } = after.boxes[index]!;
      return (
        box.cell === cell &&
        box.isGiven === isGiven &&
        box.isOpen === isOpen &&
        box.source === source
      );
    })
  );
}

/** Why cells of a row cannot be changed. */
function useReasons(boxes: readonly Box[]) {
  const { t, i18n } = useTranslation();
  const implied = boxes.flatMap((box) => {
    const { cell, source } = box;
    if (source === undefined) return [];
    const text = t('matrix.implied', { verb: t(cell.verb as TextName), source: spoken(source, t) });
    return [{ of: [box], text }];
  });
  const foreign = boxes.filter(({ isOpen, source }) => !isOpen && source === undefined);
  if (foreign.length === 0) return implied;
  const list = new Intl.ListFormat(i18n.resolvedLanguage ?? 'en');
  const verbs = list.format(foreign.map(({ cell }) => t(cell.verb as TextName)));
  return [...implied, { of: foreign, text: t('matrix.not_held', { verbs }) }];
}

/** A box for several cells: ticked, partly ticked or empty. */
function GroupBox({
  boxes,
  choose,
  label,
  aria,
}: {
  boxes: readonly Box[];
  choose: Choose;
  label: string;
  aria: string;
}) {
  const open = boxes.filter(({ isOpen }) => isOpen);
  const isAll = boxes.every(({ isGiven }) => isGiven);
  return (
    <CellBox
      className={classes.group}
      label={label}
      aria-label={aria}
      isChecked={isAll}
      isPartlyChecked={!isAll && boxes.some(({ isGiven }) => isGiven)}
      isDisabled={open.length === 0}
      onChange={() =>
        choose(
          open.map(({ cell }) => cell.name),
          !open.every(({ isGiven }) => isGiven),
        )
      }
    />
  );
}

const spoken = ({ verb, noun }: Cell, t: Translate): string =>
  t('matrix.cell', { verb: t(verb as TextName), noun: t(noun as TextName) });
