import { Button, Group, Stack, Text } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
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
  const alert = useRef<HTMLDivElement>(null);
  // The button that was pressed may be far below.
  useEffect(() => alert.current?.focus(), [version]);
  return (
    <Warning
      role="alert"
      ref={alert}
      tabIndex={-1}
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
