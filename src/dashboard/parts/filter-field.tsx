import { TextInput } from '@mantine/core';
import type { TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

/** The field that filters a list. The key `/` leads to the first one of a page. */
export const FilterField = (props: TextInputProps) => (
  <TextInput
    leftSection={<IconSearch size={16} aria-hidden />}
    aria-keyshortcuts="/"
    maxLength={100}
    autoComplete="off"
    data-filter
    {...props}
  />
);
