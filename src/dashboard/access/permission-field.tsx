import { Select, Text } from '@mantine/core';
import type { ComboboxParsedItem } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { MAX_OPTIONS } from '../parts/max-options.ts';
import { PERMISSION_NAMES, permissionText } from './power-words.ts';

/** Chooses a permission, of the organization or of teams, by its words or by its name. */
export function PermissionField({
  value,
  onChange,
}: {
  value: string | null;
  onChange(name: string): void;
}) {
  const { t } = useTranslation();
  const optionsOf = (names: readonly string[]) =>
    names.map((name) => ({ value: name, label: permissionText(name, t) }));
  return (
    <Select
      label={t('access.permission')}
      placeholder={t('access.search')}
      searchable
      limit={MAX_OPTIONS}
      allowDeselect={false}
      data={[
        { group: t('matrix.in_organization'), items: optionsOf(PERMISSION_NAMES.organization) },
        { group: t('access.in_teams'), items: optionsOf(PERMISSION_NAMES.team) },
      ]}
      filter={({ options, search }) => matching(options, search)}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed" ff="monospace" dir="ltr">
            {option.value}
          </Text>
        </div>
      )}
      nothingFoundMessage={t('picker.no_match')}
      value={value}
      onChange={(name) => {
        if (name !== null) onChange(name);
      }}
    />
  );
}

/** Keeps the groups, with the options that have every word of a text. */
function matching(options: readonly ComboboxParsedItem[], search: string): ComboboxParsedItem[] {
  const words = search.toLowerCase().split(/\s+/);
  const fits = ({ value, label }: { value: string; label: string }) =>
    words.every((word) => `${label} ${value}`.toLowerCase().includes(word));
  return options.flatMap((one): ComboboxParsedItem[] => {
    if (!('items' in one)) return fits(one) ? [one] : [];
    const items = one.items.filter(fits);
    return items.length === 0 ? [] : [{ ...one, items }];
  });
}
