import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';

type About = 'permission' | 'item';

/** Chooses whether a question is about a permission or an item. */
export function AboutField({
  isItem,
  onChange,
}: {
  isItem: boolean;
  onChange(about: About): void;
}) {
  const { t } = useTranslation();
  return (
    <SegmentedControl<About>
      aria-label={t('access.about')}
      className="add-row"
      data={[
        { value: 'permission', label: t('access.permission') },
        { value: 'item', label: t('explain.item') },
      ]}
      value={isItem ? 'item' : 'permission'}
      onChange={onChange}
    />
  );
}
