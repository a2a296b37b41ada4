import { Alert } from '@mantine/core';
import type { AlertProps } from '@mantine/core';
import type { Ref } from 'react';

/** Something to act on that is not an error. Its title has the colour of text, which can be read. */
export function Warning(
  props: Omit<AlertProps, 'color' | 'variant' | 'styles'> & { ref?: Ref<HTMLDivElement> },
) {
  return (
    <Alert
      {...props}
      color="yellow"
      variant="outline"
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    />
  );
}
