import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { permissions } from '../../../authz/permissions.ts';
import type { SubjectAccess } from '../../../explorer/schema.ts';
import { useTeamTitles } from '../../organizations/teams/use-team-titles.ts';
import { PermissionView } from '../../parts/permission-view.tsx';
import { Section } from '../../parts/section.tsx';
import { listOf } from '../../texts/texts.ts';
import { OWNER_PERMISSIONS, permissionText } from '../power-words.ts';

/** The permissions of a subject, in the organization and in each team. */
export function Permissions({
  access: { permissions: held, team_permissions },
}: {
  access: SubjectAccess;
}) {
  const { t } = useTranslation();
  const titles = useTeamTitles();
  const owners = held.filter((name) => name in OWNER_PERMISSIONS);
  return (
    <Stack gap="sm">
      <PermissionView
        table={permissions.organization}
        label={t('matrix.in_organization')}
        value={held}
      />
      {owners.length > 0 && (
        <Text size="sm">
          {t('access.owner_only', {
            permissions: listOf(owners.map((name) => permissionText(name, t))),
          })}
        </Text>
      )}
      {team_permissions.map(({ team, permissions: inTeam }) => {
        const title = titles.get(team.id) ?? team.name;
        return (
          <Section
            key={team.id}
            title={title}
            summary={t('key_form.permissions_count', { count: inTeam.length })}
          >
            <PermissionView table={permissions.team} label={t('matrix.in_team')} value={inTeam} />
          </Section>
        );
      })}
    </Stack>
  );
}
