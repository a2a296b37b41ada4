import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** The bar that saves a long form and stays in view; after a refusal it says how much to correct. */
export function SaveBar({
  errors = {},
  justify,
  children,
}: {
  /** Errors by field. */
  errors?: Readonly<Record<string, ReactNode>>;
  justify?: 'space-between';
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const number = Object.values(errors).filter(Boolean).length;
  return (
    <Group className="save-bar" gap="sm" {...(justify === undefined ? {} : { justify })}>
      {children}
      <div role="status">
        {number > 0 && (
          <Text size="sm" c="red">
            {t('form.attention', { number })}
          </Text>
        )}
      </div>
    </Group>
  );
}
