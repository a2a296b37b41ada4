import { Button, Group, Stack, Text } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Differences } from './differences.tsx';
import type { FieldValues } from './family.ts';
import { Warning } from '../parts/warning.tsx';

/** Explains that somebody else has saved a version meanwhile, and lets the person decide by field. */
export function Conflict({
  yours,
  theirs,
  version,
  isPending,
  onTake,
  onTakeAll,
  onSave,
}: {
  yours: FieldValues;
  theirs: FieldValues;
  /** Number of the version that is stored. */
  version: number;
  isPending: boolean;
  onTake(field: string): void;
  onTakeAll(): void;
  onSave(): void;
}) {
  const { t } = useTranslation();
  return (
    <Warning
      role="alert"
      icon={<IconGitMerge aria-hidden />}
      title={t('content.conflict', { version })}
    >
      <Stack gap="md">
        <Text size="sm">{t('content.conflict_body')}</Text>
        <Differences
          left={yours}
          right={theirs}
          leftTitle={t('content.yours')}
          rightTitle={t('content.theirs', { version })}
          onTake={onTake}
        />
        <Group gap="sm">
          <Button size="xs" loading={isPending} onClick={onSave}>
            {t('content.save_over', { version: version + 1 })}
          </Button>
          <Button size="xs" variant="default" onClick={onTakeAll}>
            {t('content.discard_yours')}
          </Button>
        </Group>
      </Stack>
    </Warning>
  );
}
