import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { permissions } from '../../authz/permissions.ts';
import type { ClientContext, Permission } from '../../authz/permissions.ts';
import { PermissionMatrix } from './permission-matrix.tsx';

/** In an organization, teams have permissions of their own. */
const TABLES = { personal: ['personal'], organization: ['organization', 'team'] } as const;

/** Chooses what a credential may do in a person's account, or in an organization and its teams. */
export function PermissionTables({
  context,
  held,
  error,
  ...choice
}: {
  context: ClientContext;
  /** What the person holds in the organization; only the service knows it for each team. */
  held?: ReadonlySet<string> | undefined;
  error?: ReactNode;
  nameOf?(permission: Permission): string | null;
  value: readonly string[];
  onChange(value: string[]): void;
}) {
  const { t } = useTranslation();
  return (
    <Stack gap="lg">
      {TABLES[context].map((table, index) => (
        <PermissionMatrix
          key={table}
          table={permissions[table]}
          label={t(`matrix.in_${table}`)}
          held={table === 'organization' ? (held ?? null) : null}
          error={index === 0 ? error : undefined}
          {...choice}
        />
      ))}
    </Stack>
  );
}
