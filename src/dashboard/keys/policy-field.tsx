import { Radio, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyMode } from '../../policies/policy.ts';

const MODES = ['all', 'whitelist', 'blacklist'] as const;

/** A policy of one family: its mode and, unless the mode is `all`, what it names. */
export function PolicyField({
  field,
  title,
  mode,
  error,
  onMode,
  children,
}: {
  field: string;
  title: string;
  mode: PolicyMode;
  error: ReactNode;
  onMode(mode: PolicyMode): void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Radio.Group
        label={title}
        value={mode}
        error={error}
        data-path={field}
        tabIndex={-1}
        onChange={(value) => onMode(value)}
      >
        <Stack gap={6} mt={6} mb={4}>
          {MODES.map((one) => (
            <Radio
              key={one}
              size="xs"
              value={one}
              label={t(`policy.${one}`)}
              description={one === 'blacklist' ? t('policy.blacklist_hint') : undefined}
            />
          ))}
        </Stack>
      </Radio.Group>
      {mode === 'all' ? (
        <Text size="xs" c="dimmed">
          {t('policy.all_hint')}
        </Text>
      ) : (
        children
      )}
    </Stack>
  );
}
