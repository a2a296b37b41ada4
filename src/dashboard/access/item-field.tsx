import { NativeSelect, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { MAX_OPTIONS } from '../parts/max-options.ts';
import { shortId } from '../parts/short-id.ts';
import { FAMILIES } from './access-search.ts';
import type { Family } from './access-search.ts';

/** Chooses an item: its family, and which one. */
export function ItemField({
  family,
  item,
  options,
  onChange,
}: {
  family: Family;
  item: string | undefined;
  options: readonly { value: string; label: string }[];
  onChange(choice: { family: Family; item?: string }): void;
}) {
  const { t } = useTranslation();
  const isListed = options.some(({ value }) => value === item);
  const missing = item === undefined || isListed ? [] : [{ value: item, label: shortId(item) }];
  return (
    <>
      <NativeSelect
        label={t('access.family')}
        value={family}
        data={FAMILIES.map((one) => ({ value: one, label: t(`frame.${one}`) }))}
        onChange={({ currentTarget }) => onChange({ family: currentTarget.value as Family })}
      />
      <Select
        label={t('explain.item')}
        placeholder={t('access.search')}
        searchable
        limit={MAX_OPTIONS}
        allowDeselect={false}
        data={[...options, ...missing]}
        nothingFoundMessage={t('picker.no_match')}
        value={item ?? null}
        onChange={(chosen) => onChange({ family, ...(chosen === null ? {} : { item: chosen }) })}
      />
    </>
  );
}
