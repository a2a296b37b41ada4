import { Button, Group, Modal, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { MEMBER_ROLE } from '../../../caller/system-roles.ts';
import type { SentInvitation } from '../../../organizations/invitations/schema.ts';
import type { TeamRecord } from '../../../organizations/teams/schema.ts';
import { request } from '../../api/request.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf, wholeQuery } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { RolesField } from '../parts/roles-field.tsx';
import { useOrganization } from '../use-organization.ts';

/** Invites a person by e-mail, with roles and teams that they get on joining. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const queries = useQueryClient();
  const teams = useQuery(wholeQuery<TeamRecord>(pathOf(id, '/teams')));
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '', role_ids: [MEMBER_ROLE], teams: [] as string[] },
    send: ({ teams: chosen, ...values }) =>
      request<SentInvitation>(pathOf(id, '/invitations'), {
        body: { ...values, teams: chosen.map((team_id) => ({ team_id })) },
      }),
    async onSuccess({ sent, email }) {
      notifications.show({ message: t(sent ? 'invitations.sent' : 'invitations.held', { email }) });
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('invitations.invite')}>
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <Problem error={error} />}
          <TextInput
            label={t('form.email')}
            description={t('invitations.email_hint')}
            type="email"
            required
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('email')}
          />
          {may('can_view_organization_roles') ? (
            <RolesField label={t('members.roles')} {...form.getInputProps('role_ids')} />
          ) : (
            <Text size="sm">{t('invitations.as_member')}</Text>
          )}
          {teams.data !== undefined && teams.data.length > 0 && (
            <MultiSelect
              label={t('members.teams')}
              description={t('invitations.teams_hint')}
              data={teams.data.map((team) => ({ value: team.id, label: team.title }))}
              {...form.getInputProps('teams')}
            />
          )}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t('invitations.send')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
