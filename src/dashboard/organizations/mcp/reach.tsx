import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Who can use a selected item: everyone, or those whose teams' policies admit it. */
export function Reach({
  name,
  isWide,
  isReadOnly,
  onChange,
}: {
  name: string;
  isWide: boolean;
  isReadOnly: boolean;
  onChange(isWide: boolean): void;
}) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      size="xs"
      w="11rem"
      aria-label={t('org_mcp.reach_of', { name })}
      value={isWide ? 'wide' : 'teams'}
      disabled={isReadOnly}
      onChange={({ currentTarget }) => onChange(currentTarget.value === 'wide')}
      data={[
        { value: 'teams', label: t('org_mcp.by_teams') },
        { value: 'wide', label: t('org_mcp.wide') },
      ]}
    />
  );
}
