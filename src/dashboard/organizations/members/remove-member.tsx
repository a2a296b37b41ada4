import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useOrganization } from '../use-organization.ts';
import { useTeamTitles } from '../teams/use-team-titles.ts';
import { credentialsQuery, personName, removeMember } from './members.ts';
import type { Member } from './members.ts';
import { listOf } from '../../texts/texts.ts';

/** Removes a member after their name was typed; says which credentials stop working. */
export function RemoveMember({ member, onRemoved }: { member: Member; onRemoved(): void }) {
  const { t } = useTranslation();
  const { id, name: organization, may } = useOrganization();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const titles = useTeamTitles();
  const name = personName(member);
  const credentials = useInfiniteQuery({
    ...credentialsQuery(id, member.account_id),
    enabled: isOpen && may('can_view_organization_api_keys'),
  });
  const remove = useMutation({
    mutationFn: () => removeMember(id, member.account_id),
    async onSuccess() {
      notifications.show({ message: t('members.removed', { name }) });
      onRemoved();
      queries.removeQueries({ queryKey: ['member', id, member.account_id] });
      await queries.invalidateQueries();
    },
  });
  const names = credentials.data?.pages.flatMap(({ data }) => data.map((one) => one.name)) ?? [];
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('members.remove')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('members.remove_title', { name, organization })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('members.remove_action')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('members.remove_body')}</Text>
          {member.teams.length > 0 && (
            <Text size="sm">
              {t('members.remove_teams', {
                names: listOf(member.teams.map((team) => titles.get(team.id) ?? team.name)),
              })}
            </Text>
          )}
          {names.length > 0 && (
            <Text size="sm" fw={600}>
              {t('members.remove_credentials', { names: listOf(names) })}
            </Text>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
