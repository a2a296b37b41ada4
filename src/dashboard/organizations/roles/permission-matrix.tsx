import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useId, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { impliedBy, rowsOf } from './matrix.ts';
import type { Cell, Row } from './matrix.ts';
import type { RoleKind } from './role-kinds.ts';
import styles from '../organizations.module.css';

/** The class of each column. */
const COLUMN_CLASSES = ['view', 'create', 'update', 'delete', 'other'] as const;

interface Choice {
  value: readonly string[];
  /** Permissions that the person may give; null if only the service can tell. */
  held: ReadonlySet<string> | null;
  isReadOnly: boolean;
  onChange(value: string[]): void;
}

/** Chooses permissions: a row for each noun, a column for each verb. */
export function PermissionMatrix({
  kind,
  label,
  error,
  ...choice
}: Choice & { kind: RoleKind; label: string; error?: ReactNode }) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  const rows = useMemo(() => rowsOf(kind), [kind]);
  const implied = impliedBy(kind, choice.value);
  const given = new Set([...choice.value, ...implied.keys()]);
  const cells = rows.flatMap((row) => row.cells);
  const matches = rows.filter((row) =>
    [t(row.noun), ...row.cells.map(({ grant }) => grant)]
      .join(' ')
      .toLowerCase()
      .includes(filter.trim().toLowerCase()),
  );
  return (
    <fieldset className="plain" aria-invalid={Boolean(error)}>
      <Group justify="space-between" align="end" mb="xs" gap="sm">
        <legend>
          {label}{' '}
          <Text span size="sm" c="dimmed" role="status">
            {t('roles.count', {
              count: cells.filter(({ grant }) => given.has(grant)).length,
              total: cells.length,
            })}
          </Text>
        </legend>
        <TextInput
          aria-label={`${t('form.search')}: ${label}`}
          placeholder={t('form.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </Group>
      {error && (
        <Text role="alert" size="sm" c="red" mb="xs">
          {error}
        </Text>
      )}
      <div className="card list">
        {matches.map((row) => (
          <MatrixRow key={row.noun} row={row} implied={implied} {...choice} />
        ))}
        {matches.length === 0 && <Text className="list-row">{t('mcp.no_match')}</Text>}
      </div>
    </fieldset>
  );
}

type State = 'open' | 'implied' | 'not_held' | 'read_only';

function MatrixRow({
  row,
  implied,
  ...choice
}: Choice & { row: Row; implied: ReadonlyMap<string, string> }) {
  const { t } = useTranslation();
  const id = useId();
  const { value, held, isReadOnly, onChange } = choice;
  const stateOf = ({ grant }: Cell): State => {
    if (isReadOnly) return 'read_only';
    if (implied.has(grant)) return 'implied';
    // What a role already has may be taken from it without holding it.
    return held === null || held.has(grant) || value.includes(grant) ? 'open' : 'not_held';
  };
  const isGiven = ({ grant }: Cell) => value.includes(grant) || implied.has(grant);
  const open = row.cells.filter((cell) => stateOf(cell) === 'open').map(({ grant }) => grant);
  const all = row.cells.every(isGiven);
  const toggleAll = () =>
    onChange(
      open.every((grant) => value.includes(grant))
        ? value.filter((grant) => !open.includes(grant))
        : [...new Set([...value, ...open])],
    );
  const noun = t(row.noun);
  return (
    <div className={`list-row ${styles.row}`} role="group" aria-labelledby={id}>
      <Text fw={600} size="sm" id={id} className={styles.noun ?? ''}>
        {noun}
      </Text>
      <Checkbox
        className={styles.all ?? ''}
        label={t('roles.all')}
        aria-label={t('roles.all_of', { noun })}
        checked={all}
        indeterminate={!all && row.cells.some(isGiven)}
        disabled={open.length === 0}
        onChange={toggleAll}
      />
      {row.cells.map((cell) => (
        <MatrixCell
          key={cell.grant}
          cell={cell}
          state={stateOf(cell)}
          isGiven={isGiven(cell)}
          source={implied.get(cell.grant)}
          onToggle={(isChecked) =>
            onChange(
              isChecked ? [...value, cell.grant] : value.filter((grant) => grant !== cell.grant),
            )
          }
        />
      ))}
    </div>
  );
}

function MatrixCell({
  cell: { verb, noun, grant, column },
  state,
  isGiven,
  source,
  onToggle,
}: {
  cell: Cell;
  state: State;
  isGiven: boolean;
  source: string | undefined;
  onToggle(isChecked: boolean): void;
}) {
  const { t } = useTranslation();
  const reasons: Record<State, string | null> = {
    open: null,
    read_only: null,
    not_held: t('roles.not_held'),
    implied: t('roles.implied', { source: source ?? '' }),
  };
  return (
    <Stack gap={0} className={`${styles.cell} ${styles[COLUMN_CLASSES[column] ?? 'other']}`}>
      <Checkbox
        label={t(verb)}
        aria-label={`${t(verb)}: ${t(noun)}`}
        title={grant}
        description={reasons[state]}
        checked={isGiven}
        disabled={state !== 'open'}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      />
    </Stack>
  );
}
