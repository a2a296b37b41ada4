import { TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isGlob } from '../../policies/glob.ts';
import { ResourceTree } from './resource-tree.tsx';

/** Patterns of paths, and the paths they match; one that the service would refuse is not added. */
export function PatternsField({
  patterns,
  paths,
  onChange,
}: {
  patterns: string[];
  /** Not read yet if undefined. */
  paths: string[] | undefined;
  onChange(patterns: string[]): void;
}) {
  const { t } = useTranslation();
  const [refused, setRefused] = useState<string | null>(null);
  return (
    <>
      <TagsInput
        label={t('policy.patterns')}
        description={t('policy.patterns_hint')}
        placeholder="docs/**"
        dir="ltr"
        acceptValueOnBlur
        value={patterns}
        error={refused === null ? null : t('policy.not_a_pattern', { pattern: refused })}
        onChange={(entered) => {
          const normal = entered.map((pattern) => pattern.normalize('NFC'));
          setRefused(normal.find((pattern) => !isGlob(pattern)) ?? null);
          onChange([...new Set(normal.filter(isGlob))]);
        }}
      />
      {paths?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('policy.no_resources')}
        </Text>
      )}
      {paths !== undefined && paths.length > 0 && (
        <ResourceTree paths={paths} patterns={patterns} />
      )}
    </>
  );
}
