import { Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Stands in for an act that the person may not do, and names the permission for it. */
export function Needs({ permission }: { permission: string }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" c="dimmed">
      <IconLock size={14} aria-hidden /> {t('content.needs', { permission })}
    </Text>
  );
}
