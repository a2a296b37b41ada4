import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { personName } from '../members/members.ts';
import { pathOf, wholeQuery } from '../organizations.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { MemberSelect } from '../parts/member-select.tsx';
import { Problem } from '../parts/problem.tsx';
import type { Role } from '../roles/role-kinds.ts';
import { useOrganization } from '../use-organization.ts';
import { mayInTeam, teamPath } from './teams.ts';
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
          <MemberSelect {...form.getInputProps('account_id')} />
          <TeamRolesField team={team} {...form.getInputProps('role_ids')} />
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
          <TeamRolesField team={team} {...form.getInputProps('role_ids')} />
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

/** Roles that apply in all teams, and those of this team alone, as far as the person sees them. */
function TeamRolesField({
  team,
  value,
  error,
  onChange,
}: {
  team: Team;
  value?: string[];
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
    <Checkbox.Group label={t('teams.roles')} value={value ?? []} error={error} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {[shared, own].map(
          (list, index) => list.isError && <Problem key={index} error={list.error} />,
        )}
        {[...roles.values()].map((role) => (
          <Checkbox
            key={role.id}
            value={role.id}
            label={<bdi>{role.name}</bdi>}
            description={role.description}
          />
        ))}
        {roles.size === 0 && <Text size="sm">{t('teams.no_roles')}</Text>}
      </Stack>
    </Checkbox.Group>
  );
}
