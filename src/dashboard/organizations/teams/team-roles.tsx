import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { neededFor, teamRolePlace } from '../roles/role-kinds.ts';
import { CreateRole, RoleList } from '../roles/roles-page.tsx';
import { useOrganization } from '../use-organization.ts';
import { InTeam } from './in-team.tsx';
import type { Team } from './teams.ts';

/** The roles that only this team has. */
export function TeamRoles({ team }: { team: Team }) {
  const { t } = useTranslation();
  const { id, held } = useOrganization();
  const place = teamRolePlace(id, team, held);
  return (
    <InTeam team={team} needs={neededFor(place, 'view')}>
      <Stack>
        <Text c="dimmed">{t('teams.roles_intro')}</Text>
        <Group>
          <CreateRole place={place} />
        </Group>
        <RoleList place={place} />
      </Stack>
    </InTeam>
  );
}
