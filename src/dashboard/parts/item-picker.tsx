import { Group, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onDemand } from './on-demand.tsx';
import { FilterField } from './filter-field.tsx';
import type { PickedItem } from './item-choices.tsx';
import { Loading } from './loading.tsx';

const ItemChoices = onDemand(async () => (await import('./item-choices.tsx')).ItemChoices);

const SHORT_LIST = 6;

/** Chooses items of a list by name. A chosen one that no longer exists can still be unticked. */
export function ItemPicker({
  title,
  items,
  selected,
  onChange,
}: {
  title: string;
  items: readonly PickedItem[] | undefined;
  selected: readonly string[];
  onChange(selected: string[]): void;
}) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  if (items === undefined) return <Loading height={120} />;
  const known = new Set(items.map(({ id }) => id));
  const missing = selected
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: id, note: t('picker.missing') }));
  const all: readonly PickedItem[] = [...items, ...missing];
  const matches = all.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  return (
    <fieldset className="plain">
      <Group justify="space-between" gap="xs" mb={4}>
        <legend>
          <Text span size="sm" fw={600}>
            {title}
          </Text>{' '}
          <Text span size="sm" c="dimmed">
            {t('picker.chosen', { count: selected.length, total: all.length })}
          </Text>
        </legend>
        {all.length > SHORT_LIST && (
          <FilterField
            size="xs"
            aria-label={`${t('form.search')}: ${title}`}
            placeholder={t('form.search')}
            value={filter}
            onChange={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        )}
      </Group>
      {all.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('picker.none')}
        </Text>
      )}
      {matches.length > 0 && (
        <Suspense fallback={<Loading height={120} />}>
          <ItemChoices title={title} items={matches} selected={selected} onChange={onChange} />
        </Suspense>
      )}
      {matches.length === 0 && all.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('picker.no_match')}
        </Text>
      )}
    </fieldset>
  );
}
