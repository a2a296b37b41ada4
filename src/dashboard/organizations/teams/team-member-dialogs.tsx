import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { personName } from '../members/members.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { MemberSelect } from '../parts/member-select.tsx';
import { Problem } from '../parts/problem.tsx';
import { TeamRolesField } from '../parts/team-roles-field.tsx';
import { useOrganization } from '../use-organization.ts';
import { teamPath } from './teams.ts';
import type { Team, TeamMember } from './teams.ts';

/** Gives a member of the organization a place in the team. */
export function AddMember({ team, onClose }: { team: Team; onClose(): void }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const path = teamPath(id, team.id, '/members');
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { account_id: null as string | null, role_ids: [] as string[] },
    send: (body) => request<TeamMember>(path, { body }),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('teams.add')} size="lg">
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <Problem error={error} />}
          <MemberSelect outside={team.id} {...form.getInputProps('account_id')} />
          <TeamRolesField
            team={team}
            label={t('teams.roles')}
            {...form.getInputProps('role_ids')}
          />
          {form.values.account_id !== null && <ChangePreview path={path} body={form.values} />}
          <Buttons action={t('teams.add')} isPending={isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

/** Changes the roles of a member in the team. */
export function ChangeRoles({
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
  const path = teamPath(id, team.id, `/members/${member.account_id}`);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { role_ids: member.roles.map((role) => role.id) },
    send: (body) => request<TeamMember>(path, { method: 'PATCH', body }),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('teams.change_roles_of', { name: personName(member) })}
      size="lg"
    >
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <Problem error={error} />}
          <TeamRolesField
            team={team}
            label={t('teams.roles')}
            {...form.getInputProps('role_ids')}
          />
          <ChangePreview path={path} body={form.values} />
          <Buttons action={t('members.save_roles')} isPending={isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

function Buttons({
  action,
  isPending,
  onClose,
}: {
  action: string;
  isPending: boolean;
  onClose(): void;
}) {
  const { t } = useTranslation();
  return (
    <Group justify="end">
      <Button variant="default" onClick={onClose}>
        {t('form.cancel')}
      </Button>
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </Group>
  );
}
