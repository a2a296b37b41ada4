import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import filterStyles from '../../parts/filters.module.css';
import { reasonText } from '../power-words.ts';
import { REASONS } from './decisions.ts';
import type { DecisionFilters } from './decisions.ts';

const MAX_ACTION = 4_096;

/** Fields that filter decisions; a text applies with Enter or the button. */
export function DecisionFilterFields({
  filters,
  onChange,
}: {
  filters: DecisionFilters;
  onChange(filters: DecisionFilters): void;
}) {
  const { t } = useTranslation();
  const { outcome = '', reason = '', from = '', to = '' } = filters;
  const [action, setAction] = useState(filters.action ?? '');
  /** Leaves the others as they are; the empty text removes one. */
  const set = (change: Partial<Record<keyof DecisionFilters, string>>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...filters, action, ...change }).filter(([, value]) => value !== ''),
      ),
    );
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        set({ action: action.trim() });
      }}
    >
      <div className={filterStyles.filters}>
        <TextInput
          data-filter
          label={t('access.power')}
          placeholder="can_view_organization"
          dir="ltr"
          value={action}
          maxLength={MAX_ACTION}
          onChange={({ currentTarget }) => setAction(currentTarget.value)}
        />
        <NativeSelect
          label={t('explain.outcome')}
          value={outcome}
          onChange={({ currentTarget }) => set({ outcome: currentTarget.value })}
          data={[
            { value: '', label: t('audit.any') },
            { value: 'denied', label: t('access.denied') },
            { value: 'allowed', label: t('access.allowed') },
          ]}
        />
        <NativeSelect
          label={t('access.denied_why')}
          value={reason}
          onChange={({ currentTarget }) => set({ reason: currentTarget.value })}
          data={[
            { value: '', label: t('audit.any') },
            ...REASONS.map((one) => ({ value: one, label: reasonText(one, t) })),
          ]}
        />
        <TextInput
          type="date"
          label={t('audit.from')}
          defaultValue={from}
          max={to}
          onBlur={({ currentTarget }) => {
            if (currentTarget.value !== from) set({ from: currentTarget.value });
          }}
        />
        <TextInput
          type="date"
          label={t('audit.to')}
          defaultValue={to}
          min={from}
          onBlur={({ currentTarget }) => {
            if (currentTarget.value !== to) set({ to: currentTarget.value });
          }}
        />
        <Button type="submit" variant="default">
          {t('access.apply_filters')}
        </Button>
      </div>
    </form>
  );
}
