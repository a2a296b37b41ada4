import { Badge, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pagedQuery, pathOf } from '../organizations.ts';
import { Entries } from '../parts/entries.tsx';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import type { Team } from './teams.ts';

/** The teams that the person may see. */
export function TeamsPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <Page
      title={t('teams.title', { name })}
      actions={
        may('can_update_organization_teams') && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
            {t('teams.create')}
          </Button>
        )
      }
    >
      <Stack>
        {!may('can_view_organization_teams') && <Text c="dimmed">{t('teams.own_only')}</Text>}
        <Entries
          query={pagedQuery<Team>(pathOf(id, '/teams'))}
          empty={t('teams.none')}
          idOf={(team) => team.id}
        >
          {(team) => <TeamRow team={team} />}
        </Entries>
      </Stack>
      {isOpen && <NewTeam onClose={dialog.close} />}
    </Page>
  );
}

function TeamRow({ team }: { team: Team }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  return (
    <Link
      to="/app/org/$organizationId/teams/$teamId"
      params={{ organizationId: id, teamId: team.id }}
      className="list-row"
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>
            <bdi>{team.title}</bdi>{' '}
            {team.membership !== null && (
              <Badge size="sm" variant="light" tt="none">
                {t('teams.yours')}
              </Badge>
            )}
          </Text>
          {team.name !== team.title && (
            <Text size="sm" c="dimmed">
              <bdi>{team.name}</bdi>
            </Text>
          )}
        </div>
        <Text size="sm" c="dimmed">
          {t('roles.members', { count: team.members })}
        </Text>
      </Group>
    </Link>
  );
}

function NewTeam({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: '', title: '', description: '' },
    send: ({ title, ...draft }) =>
      request<Team>(pathOf(id, '/teams'), {
        body: { ...draft, ...(title.trim() === '' ? {} : { title }) },
      }),
    async onSuccess(team) {
      await queries.invalidateQueries();
      await navigate({
        to: '/app/org/$organizationId/teams/$teamId',
        params: { organizationId: id, teamId: team.id },
      });
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('teams.create')}>
      <form onSubmit={submit}>
        <Stack>
          {error !== null && <Problem error={error} />}
          <TextInput
            label={t('form.name')}
            description={t('teams.name_hint')}
            required
            maxLength={32}
            dir="ltr"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TeamTexts form={form} />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {t('form.cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t('teams.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Title and description of a team. */
export function TeamTexts({
  form,
}: {
  form: { getInputProps(field: 'title' | 'description'): object };
}) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput label={t('teams.team_title')} maxLength={100} {...form.getInputProps('title')} />
      <Textarea
        label={t('roles.description')}
        autosize
        maxLength={500}
        {...form.getInputProps('description')}
      />
    </>
  );
}
