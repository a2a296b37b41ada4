import { Checkbox, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { OWNER_ROLE } from '../../../caller/system-roles.ts';
import type { RoleRecord } from '../../../organizations/roles/schema.ts';
import { pathOf, wholeQuery } from '../organizations.ts';
import { useOrganization } from '../use-organization.ts';
import { Problem } from './problem.tsx';
import { Loading } from '../../parts/loading.tsx';

/** Chooses roles of the organization. The Owner role is given by transferring ownership alone. */
export function RolesField({
  label,
  value,
  error,
  onChange,
}: {
  label: string;
  value?: string[];
  error?: ReactNode;
  onChange(value: string[]): void;
}) {
  const { id } = useOrganization();
  const roles = useQuery(wholeQuery<RoleRecord>(pathOf(id, '/roles')));
  if (roles.data === undefined && roles.isError)
    return <Problem error={roles.error} onRetry={() => void roles.refetch()} />;
  if (roles.data === undefined) return <Loading height={96} />;
  return (
    <Checkbox.Group label={label} value={value ?? []} error={error} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {roles.data
          .filter((role) => role.id !== OWNER_ROLE)
          .map((role) => (
            <Checkbox
              key={role.id}
              value={role.id}
              label={<bdi>{role.name}</bdi>}
              description={role.description}
            />
          ))}
      </Stack>
    </Checkbox.Group>
  );
}
