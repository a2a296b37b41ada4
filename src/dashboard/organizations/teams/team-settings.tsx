import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { InTeam } from './in-team.tsx';
import { teamPath } from './teams.ts';
import type { Team } from './teams.ts';
import { problemsOf, TeamTexts } from './teams-page.tsx';

/** Name and texts of a team, and deleting it. */
export function TeamSettings({ team }: { team: Team }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xl">
      <InTeam team={team} needs="can_update_team_general">
        <Texts team={team} />
      </InTeam>
      <section aria-labelledby="delete-team">
        <Title order={2} id="delete-team" mb="sm">
          {t('teams.delete')}
        </Title>
        <InTeam team={team} needs="can_delete_team_general">
          <DeleteTeam team={team} />
        </InTeam>
      </section>
    </Stack>
  );
}

function Texts({ team: { id: team_id, name, title, description } }: { team: Team }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name, title, description },
    validate: (values) => problemsOf(values.name, t),
    send: (body) => request<Team>(teamPath(id, team_id), { method: 'PATCH', body }),
    async onSuccess() {
      notifications.show({ message: t('teams.saved') });
      await queries.invalidateQueries();
    },
  });
  return (
    <form onSubmit={submit}>
      <Stack maw={480}>
        {error !== null && <Problem error={error} />}
        <TextInput
          label={t('form.name')}
          description={t('teams.name_hint')}
          required
          maxLength={64}
          dir="ltr"
          {...form.getInputProps('name')}
        />
        <TeamTexts form={form} />
        <Group>
          <Button type="submit" loading={isPending}>
            {t('form.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DeleteTeam({ team }: { team: Team }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, dialog] = useDisclosure(false);
  const { name } = team;
  const remove = useMutation({
    mutationFn: () =>
      request<void>(teamPath(id, team.id), { method: 'DELETE', body: { confirm: name } }),
    async onSuccess() {
      await navigate({ to: '/app/org/$organizationId/teams', params: { organizationId: id } });
      queries.removeQueries({ queryKey: ['team', id, team.id] });
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Text size="sm" mb="sm">
        {t('teams.delete_body')}
      </Text>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('teams.delete')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('roles.delete_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('teams.delete')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('teams.delete_body')}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
