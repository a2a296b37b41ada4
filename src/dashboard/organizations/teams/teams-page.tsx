import { Badge, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { Row } from '../../parts/row.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pagedQuery, pathOf } from '../organizations.ts';
import { Entries } from '../parts/entries.tsx';
import { Problem } from '../parts/problem.tsx';
import { useNewDialog } from '../use-new-dialog.ts';
import { useOrganization } from '../use-organization.ts';
import type { Team } from './teams.ts';
import type { Translate } from '../../texts/texts.ts';

/** The teams that the person may see. */
export function TeamsPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const dialog = useNewDialog();
  const mayCreate = may('can_update_organization_teams');
  const seesAll = may('can_view_organization_teams');
  return (
    <Page
      title={t('teams.title', { name })}
      actions={
        mayCreate && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
            {t('teams.create')}
          </Button>
        )
      }
    >
      <Stack>
        {!seesAll && <Text c="dimmed">{t('teams.own_only')}</Text>}
        <Entries
          query={pagedQuery<Team>(pathOf(id, '/teams'))}
          empty={t(seesAll ? 'teams.none' : 'teams.none_own')}
          idOf={(team) => team.id}
        >
          {(team) => <TeamRow team={team} />}
        </Entries>
      </Stack>
      {dialog.isOpen && mayCreate && <NewTeam onClose={dialog.close} />}
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
      className="list-row columns"
    >
      <Row
        name={
          <>
            <bdi>{team.title}</bdi>{' '}
            {team.membership !== null && (
              <Badge size="sm" variant="light" tt="none">
                {t('teams.yours')}
              </Badge>
            )}
          </>
        }
        about={team.name === team.title ? undefined : <bdi>{team.name}</bdi>}
        end={t('roles.members', { count: team.members })}
      />
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
    validate: ({ name }) => problemsOf(name, t),
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
            maxLength={64}
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

/** Returns what is wrong with the characters of a team's name; the service knows the other rules. */
export const problemsOf = (name: string, t: Translate): Record<string, string> =>
  /[^a-z0-9_-]/.test(name) ? { name: t('teams.name_error') } : {};

/** Title and description of a team. */
export function TeamTexts({
  form,
}: {
  form: { getInputProps(field: 'title' | 'description'): object };
}) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('teams.team_title')}
        description={t('teams.title_hint')}
        maxLength={100}
        {...form.getInputProps('title')}
      />
      <Textarea
        label={t('roles.description')}
        autosize
        maxLength={500}
        {...form.getInputProps('description')}
      />
    </>
  );
}
