import { Checkbox, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { pathOf, wholeQuery } from '../organizations.ts';
import type { Role } from '../roles/role-kinds.ts';
import { roleName } from '../roles/role-name.ts';
import { mayInTeam, teamPath } from '../teams/teams.ts';
import type { Team } from '../teams/teams.ts';
import { useOrganization } from '../use-organization.ts';
import { Problem } from './problem.tsx';

/** Roles that apply in all teams, and those of this team alone, as far as the person sees them. */
export function TeamRolesField({
  team,
  label,
  value,
  error,
  onChange,
}: {
  team: Team;
  label: string;
  value?: readonly string[];
  error?: ReactNode;
  onChange(value: string[]): void;
}) {
  const { t } = useTranslation();
  const { id, held, may } = useOrganization();
  const shared = useQuery({
    ...wholeQuery<Role>(pathOf(id, '/team-roles')),
    enabled: may('can_view_organization_team_roles'),
  });
  const own = useQuery({
    ...wholeQuery<Role>(teamPath(id, team.id, '/roles')),
    enabled: mayInTeam(held, team)('can_view_team_roles'),
  });
  const roles = new Map(
    [...(shared.data ?? []), ...(own.data ?? [])].map((role) => [role.id, role]),
  );
  return (
    <Checkbox.Group label={label} value={[...(value ?? [])]} error={error} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {[shared, own].map(
          (list, index) =>
            list.isError && (
              <Problem key={index} error={list.error} onRetry={() => void list.refetch()} />
            ),
        )}
        {[...roles.values()].map((role) => (
          <Checkbox
            key={role.id}
            value={role.id}
            label={<bdi>{roleName(role, t)}</bdi>}
            description={role.description}
          />
        ))}
        {roles.size === 0 && <Text size="sm">{t('teams.no_roles')}</Text>}
      </Stack>
    </Checkbox.Group>
  );
}
