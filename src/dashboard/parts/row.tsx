import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/**
 * The content of a row with the class `columns`: a name and what is said about it, facts that line
 * up with those of the other rows, and last a time or a number. On a phone, the facts are below.
 */
export const Row = ({
  name,
  about,
  end,
  children,
}: {
  name: ReactNode;
  about?: ReactNode;
  end: ReactNode;
  /** Instances of `Fact`, the same number in every row. */
  children?: ReactNode;
}) => (
  <>
    <div className="row-name">
      <Text fw={600}>{name}</Text>
      {about !== undefined && (
        <Text size="sm" c="dimmed" lineClamp={1}>
          {about}
        </Text>
      )}
    </div>
    <div className="row-facts">{children}</div>
    <div className="row-end">{end}</div>
  </>
);

/** A fact of a row; it may be empty. */
export const Fact = ({ isNumber, children }: { isNumber?: boolean; children?: ReactNode }) => (
  <div className={isNumber ? 'number' : undefined}>{children}</div>
);
