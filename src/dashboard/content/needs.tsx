import { Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { permissionWords } from '../organizations/parts/permission-words.ts';
import { listOf } from '../texts/texts.ts';

/** Stands in for an act that the person may not do, and names the permission for it. */
export function Needs({ permission }: { permission: string }) {
  const { t } = useTranslation();
  const words = listOf(permissionWords([permission], t));
  return (
    <Text size="sm" c="dimmed">
      <IconLock size={14} aria-hidden /> {t('content.needs', { permission: words })}
    </Text>
  );
}
