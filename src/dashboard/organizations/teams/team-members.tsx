import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { personName } from '../members/members.ts';
import { Entries } from '../parts/entries.tsx';
import { roleName } from '../roles/role-name.ts';
import { useOrganization } from '../use-organization.ts';
import { InTeam } from './in-team.tsx';
import { AddMember, ChangeRoles } from './team-member-dialogs.tsx';
import { mayInTeam, teamMembersQuery, teamPath } from './teams.ts';
import type { Team, TeamMember } from './teams.ts';

/** The members of a team, with their roles in it. */
export function TeamMembers({ team }: { team: Team }) {
  const { t } = useTranslation();
  const { id, held } = useOrganization();
  const may = mayInTeam(held, team);
  const [isOpen, dialog] = useDisclosure(false);
  const [changed, setChanged] = useState<TeamMember | null>(null);
  const [removed, setRemoved] = useState<TeamMember | null>(null);
  return (
    <InTeam team={team} needs="can_view_team_members">
      <Stack>
        {may('can_create_team_members') && (
          <Group>
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
              {t('teams.add')}
            </Button>
          </Group>
        )}
        <Entries
          query={teamMembersQuery(id, team.id)}
          empty={t('teams.no_members')}
          idOf={({ account_id }) => account_id}
        >
          {(member) => (
            <Group className="list-row" justify="space-between" gap="sm">
              <div>
                <Text fw={600}>
                  <bdi>{personName(member)}</bdi>{' '}
                  {member.roles.map((role) => (
                    <Badge key={role.id} size="sm" variant="default" tt="none">
                      {roleName(role, t)}
                    </Badge>
                  ))}
                </Text>
                <Text size="sm" c="dimmed">
                  <bdi>{member.email}</bdi>
                </Text>
              </div>
              <Group gap="xs">
                {may('can_update_team_members') && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('teams.change_roles_of', { name: member.email })}
                    onClick={() => setChanged(member)}
                  >
                    {t('teams.change_roles')}
                  </Button>
                )}
                {may('can_delete_team_members') && (
                  <Button
                    size="compact-sm"
                    color="red"
                    variant="light"
                    aria-label={t('teams.remove_of', { name: member.email })}
                    onClick={() => setRemoved(member)}
                  >
                    {t('members.remove')}
                  </Button>
                )}
              </Group>
            </Group>
          )}
        </Entries>
      </Stack>
      {isOpen && <AddMember team={team} onClose={dialog.close} />}
      {changed !== null && (
        <ChangeRoles team={team} member={changed} onClose={() => setChanged(null)} />
      )}
      {removed !== null && (
        <RemoveSeat team={team} member={removed} onClose={() => setRemoved(null)} />
      )}
    </InTeam>
  );
}

function RemoveSeat({
  team,
  member,
  onClose,
}: {
  team: Team;
  member: TeamMember;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const name = personName(member);
  const remove = useMutation({
    mutationFn: () =>
      request<void>(teamPath(id, team.id, `/members/${member.account_id}`), { method: 'DELETE' }),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      title={t('members.remove_title', { name, organization: team.title })}
      name={name}
      typeLabel={t('key.revoke_type', { name })}
      action={t('members.remove_action')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{t('teams.remove_body')}</Text>
    </ConfirmDialog>
  );
}
