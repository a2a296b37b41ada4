import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { KeyEditPreview, KeyPreview } from '../../keys/schema.ts';
import classes from './keys.module.css';
import { Preview } from './preview.tsx';
import { Warning } from '../parts/warning.tsx';

/** What is needed of the query that previews a key. */
export interface PreviewState {
  data: KeyPreview | KeyEditPreview | undefined;
  error: unknown;
  isPending: boolean;
  /** Whether the next answer is awaited, or what is entered cannot be previewed yet. */
  state?: 'updating' | 'outdated' | null;
  refetch(): Promise<unknown>;
}

/** The settings of a key, next to what it sees. */
export function NextToPreview({
  title,
  preview,
  notice,
  children,
}: {
  /** Heading of the preview. */
  title: string;
  preview: PreviewState;
  notice?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <div className={classes.columns}>
      {children}
      <section aria-labelledby="preview" className={classes.preview}>
        <Group justify="space-between" mb="sm">
          <Title order={2} id="preview">
            {title}
          </Title>
          {preview.state === 'updating' && (
            <Text size="xs" c="dimmed">
              {t('preview.updating')}
            </Text>
          )}
        </Group>
        {notice}
        {preview.state === 'outdated' && (
          <Warning role="status" mb="sm">
            {t('preview.outdated')}
          </Warning>
        )}
        <Preview
          preview={preview.data}
          error={preview.error}
          isPending={preview.isPending}
          onRetry={preview.refetch}
        />
      </section>
    </div>
  );
}
