import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type {
  InvitationRecord,
  SentInvitation,
} from '../../../organizations/invitations/schema.ts';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { pagedQuery, pathOf } from '../organizations.ts';
import { Entries } from '../parts/entries.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { useTeamTitles } from '../teams/use-team-titles.ts';
import { useNewDialog } from '../use-new-dialog.ts';
import { useOrganization } from '../use-organization.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { listOf } from '../../texts/texts.ts';

/** Invitations to the organization: sending, sending again, revoking. */
export function InvitationsPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const dialog = useNewDialog();
  const mayInvite = may('can_invite_organization_members');
  return (
    <Page
      title={t('invitations.title', { name })}
      actions={
        mayInvite && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
            {t('invitations.invite')}
          </Button>
        )
      }
    >
      <Stack>
        {!mayInvite && may('can_view_organization_members') && (
          <NeedsPermission permission="can_invite_organization_members" />
        )}
        <Entries
          query={pagedQuery<InvitationRecord>(pathOf(id, '/invitations'))}
          empty={t('invitations.none')}
          idOf={(invitation) => invitation.id}
        >
          {(invitation) => <Invitation invitation={invitation} />}
        </Entries>
      </Stack>
      {dialog.isOpen && mayInvite && <InviteDialog onClose={dialog.close} />}
    </Page>
  );
}

const COLORS = { pending: 'blue', accepted: 'teal', revoked: 'gray', expired: 'gray' } as const;

function Invitation({ invitation }: { invitation: InvitationRecord }) {
  const { t } = useTranslation();
  const { may } = useOrganization();
  const titles = useTeamTitles();
  const { email, status, roles, teams, expires_at, invited_by } = invitation;
  const given = listOf([
    ...roles.map((role) => role.name),
    ...teams.map((team) => titles.get(team.id) ?? team.name),
  ]);
  const isOpen = status === 'pending' || status === 'expired';
  return (
    <Group className="list-row" justify="space-between" gap="sm">
      <div>
        <Text fw={600}>
          <bdi>{email}</bdi>{' '}
          <Badge size="sm" variant="light" color={COLORS[status]} tt="none">
            {t(`invitations.status_${status}`)}
          </Badge>
        </Text>
        <Text size="sm" c="dimmed">
          {given}
          {invited_by?.email != null && <> · {t('invitations.by', { email: invited_by.email })}</>}
          {isOpen && (
            <>
              {' · '}
              {t(status === 'pending' ? 'invitations.expires' : 'invitations.expired')}{' '}
              <Moment at={expires_at} />
            </>
          )}
        </Text>
      </div>
      {isOpen && may('can_invite_organization_members') && <Actions invitation={invitation} />}
    </Group>
  );
}

function Actions({
  invitation: { id: invitation_id, email, status },
}: {
  invitation: InvitationRecord;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const path = pathOf(id, `/invitations/${invitation_id}`);
  const resend = useMutation({
    mutationFn: () => request<SentInvitation>(`${path}/resend`, { method: 'POST' }),
    async onSuccess({ sent }) {
      notifications.show({ message: t(sent ? 'invitations.sent' : 'invitations.held', { email }) });
      await queries.invalidateQueries();
    },
  });
  const revoke = useMutation({
    mutationFn: () => request<void>(path, { method: 'DELETE' }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          loading={resend.isPending}
          aria-label={t('invitations.resend_to', { email })}
          onClick={() => resend.mutate()}
        >
          {t('invitations.resend')}
        </Button>
        {status === 'pending' && (
          <Button
            size="compact-sm"
            variant="light"
            color="red"
            aria-label={t('invitations.revoke_to', { email })}
            onClick={dialog.open}
          >
            {t('key.revoke')}
          </Button>
        )}
      </Group>
      {resend.isError && <Problem error={resend.error} />}
      {isOpen && (
        <ConfirmDialog
          title={t('invitations.revoke_to', { email })}
          name={email}
          typeLabel={t('key.revoke_type', { name: email })}
          action={t('key.revoke')}
          isPending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('invitations.revoke_body')}</Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}
