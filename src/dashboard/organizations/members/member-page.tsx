import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { MissingPage } from '../../frame/failed-page.tsx';
import { request, RequestError } from '../../api/request.ts';
import { profileQuery } from '../../api/session.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf } from '../organizations.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { RolesField } from '../parts/roles-field.tsx';
import { useOrganization } from '../use-organization.ts';
import { roleName } from '../roles/role-name.ts';
import { useTeamTitles } from '../teams/use-team-titles.ts';
import { Credentials } from './credentials.tsx';
import { memberQuery, personName } from './members.ts';
import type { Member } from './members.ts';
import { RemoveMember } from './remove-member.tsx';
import { LoadingPage } from '../../parts/loading.tsx';
import { listOf } from '../../texts/texts.ts';

const route = getRouteApi('/app/org/$organizationId/members/$accountId');

/** One member: roles, teams, credentials, and removing them. */
export function MemberPage() {
  const { t } = useTranslation();
  const { accountId } = route.useParams();
  const { id, may } = useOrganization();
  const navigate = useNavigate();
  const { data: account } = useQuery(profileQuery);
  const member = useQuery(memberQuery(id, accountId));
  if (member.error instanceof RequestError && member.error.status === 404) return <MissingPage />;
  if (member.isError && member.data === undefined)
    return (
      <Page title={t('members.member')}>
        <Problem error={member.error} onRetry={() => void member.refetch()} />
      </Page>
    );
  if (member.data === undefined) return <LoadingPage />;
  const isSelf = account?.id === accountId;
  return (
    <Page
      title={personName(member.data)}
      parents={[{ to: `/app/org/${id}/members`, label: t('space.members') }]}
      actions={
        !isSelf &&
        may('can_remove_organization_members') && (
          <RemoveMember
            member={member.data}
            onRemoved={() =>
              void navigate({
                to: '/app/org/$organizationId/members',
                params: { organizationId: id },
              })
            }
          />
        )
      }
    >
      <Stack gap="xl">
        <Facts member={member.data} />
        <section aria-labelledby="roles">
          <Title order={2} id="roles" mb="sm">
            {t('members.roles')}
          </Title>
          <Roles member={member.data} />
        </section>
        {may('can_view_organization_api_keys') && <Credentials member={member.data} />}
      </Stack>
    </Page>
  );
}

function Facts({ member }: { member: Member }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const titles = useTeamTitles();
  return (
    <dl className="card facts">
      <div>
        <dt>{t('form.email')}</dt>
        <dd>
          <bdi>{member.email}</bdi>
        </dd>
      </div>
      <div>
        <dt>{t('members.teams')}</dt>
        <dd>
          {member.teams.length === 0 && t('key.no_team')}
          {member.teams.map((team) => (
            <div key={team.id}>
              <Link
                to="/app/org/$organizationId/teams/$teamId"
                params={{ organizationId: id, teamId: team.id }}
                className="text-link"
              >
                <bdi>{titles.get(team.id) ?? team.name}</bdi>
              </Link>
              {team.roles.length > 0 && ` (${listOf(team.roles.map((role) => roleName(role, t)))})`}
            </div>
          ))}
        </dd>
      </div>
      <div>
        <dt>{t('members.joined')}</dt>
        <dd>
          <Moment at={member.joined_at} />
        </dd>
      </div>
    </dl>
  );
}

function Roles({ member }: { member: Member }) {
  const { t } = useTranslation();
  const { may } = useOrganization();
  const names = (
    <Group gap="xs">
      {member.roles.map((role) => (
        <Badge key={role.id} variant="default" tt="none">
          {role.name}
        </Badge>
      ))}
    </Group>
  );
  if (member.owner)
    return (
      <Stack gap="xs">
        {names}
        <Text size="sm" c="dimmed">
          {t('members.owner_hint')}
        </Text>
      </Stack>
    );
  if (!may('can_update_organization_members'))
    return (
      <Stack gap="xs">
        {names}
        <NeedsPermission permission="can_update_organization_members" />
      </Stack>
    );
  return <RolesForm member={member} />;
}

function RolesForm({ member }: { member: Member }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const path = pathOf(id, `/members/${member.account_id}`);
  const saved = member.roles.map((role) => role.id);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { role_ids: saved },
    send: (body) => request<Member>(path, { method: 'PATCH', body }),
    async onSuccess() {
      notifications.show({ message: t('members.roles_saved') });
      await queries.invalidateQueries();
    },
  });
  const { role_ids } = form.values;
  const isChanged = role_ids.toSorted().join() !== saved.toSorted().join();
  return (
    <form onSubmit={submit}>
      <Stack>
        {error !== null && <Problem error={error} />}
        <RolesField label={t('members.roles_hint')} {...form.getInputProps('role_ids')} />
        {isChanged && role_ids.length > 0 && <ChangePreview path={path} body={{ role_ids }} />}
        {isChanged ? (
          <Group>
            <Button type="submit" loading={isPending}>
              {t('members.save_roles')}
            </Button>
            <Button variant="default" onClick={form.reset}>
              {t('form.cancel')}
            </Button>
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            {t('form.until_saved')}
          </Text>
        )}
      </Stack>
    </form>
  );
}
