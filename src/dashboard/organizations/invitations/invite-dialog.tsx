import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { MEMBER_ROLE } from '../../../caller/system-roles.ts';
import type { SentInvitation } from '../../../organizations/invitations/schema.ts';
import { request } from '../../api/request.ts';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { RolesField } from '../parts/roles-field.tsx';
import { SeatsField } from '../parts/seats-field.tsx';
import type { Seat } from '../parts/seats-field.tsx';
import { useOrganization } from '../use-organization.ts';

/** Invites a person by e-mail, with roles and teams that they get on joining. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '', role_ids: [MEMBER_ROLE], teams: [] as Seat[] },
    send: (body) => request<SentInvitation>(pathOf(id, '/invitations'), { body }),
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
          <SeatsField {...form.getInputProps('teams')} />
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
