import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyEditPreview, KeyPreview } from '../../keys/schema.ts';
import classes from './keys.module.css';
import { Preview } from './preview.tsx';

/** What is needed of the query that previews a key. */
export interface PreviewState {
  data: KeyPreview | KeyEditPreview | undefined;
  error: unknown;
  isPending: boolean;
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
  return (
    <div className={classes.columns}>
      {children}
      <section aria-labelledby="preview" className={classes.preview}>
        <Title order={2} id="preview" mb="sm">
          {title}
        </Title>
        {notice}
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
