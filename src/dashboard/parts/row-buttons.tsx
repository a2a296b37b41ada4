import { ActionIcon, Button } from '@mantine/core';
import type { ActionIconProps } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { MouseEventHandler, ReactNode } from 'react';

/** Adds a row to a list of fields; it stands below the rows. */
export const AddRow = ({
  id,
  disabled = false,
  onClick,
  children,
}: {
  id?: string | undefined;
  disabled?: boolean;
  onClick(): void;
  children: ReactNode;
}) => (
  <Button
    id={id}
    variant="default"
    size="xs"
    className="add-row"
    leftSection={<IconPlus size={14} aria-hidden />}
    disabled={disabled}
    onClick={onClick}
  >
    {children}
  </Button>
);

/** Removes a row from a list of fields; it stands at the end of the row, centred on its fields. */
export const RemoveRow = ({
  label,
  onClick,
  ...props
}: ActionIconProps & {
  id?: string | undefined;
  label: string;
  onClick: MouseEventHandler | undefined;
}) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    size="lg"
    aria-label={label}
    onClick={onClick}
    {...props}
  >
    <IconTrash size={16} aria-hidden />
  </ActionIcon>
);
