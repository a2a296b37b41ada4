import { Badge, Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MemberCredential } from '../../../keys/member-credentials/schema.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Entries } from '../parts/entries.tsx';
import { useOrganization } from '../use-organization.ts';
import { useTeamTitles } from '../teams/use-team-titles.ts';
import { credentialsQuery, removeCredential } from './members.ts';
import type { Member } from './members.ts';
import { listOf } from '../../texts/texts.ts';

/** The member's keys and connections as far as they reach into the organization. */
export function Credentials({ member }: { member: Member }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  const [removed, setRemoved] = useState<MemberCredential | null>(null);
  const mayRemove = ({ kind }: MemberCredential) =>
    may('can_revoke_organization_api_keys') &&
    (kind === 'api_key' || may('can_delete_organization_oauth_clients'));
  return (
    <section aria-labelledby="credentials">
      <Title order={2} id="credentials" mb="sm">
        {t('members.credentials')}
      </Title>
      <Entries
        query={credentialsQuery(id, member.account_id)}
        empty={t('members.no_credentials')}
        idOf={(one: MemberCredential) => `${one.kind} ${one.id}`}
      >
        {(one) => (
          <Group className="list-row" justify="space-between" gap="sm">
            <div>
              <Text fw={600}>
                <bdi>{one.name}</bdi>{' '}
                <Badge size="sm" variant="default" tt="none">
                  {t(`change.kind_${one.kind}`)}
                </Badge>
              </Text>
              <Text size="sm" c="dimmed">
                <Reach credential={one} />
              </Text>
            </div>
            {mayRemove(one) && (
              <Button
                size="compact-sm"
                color="red"
                variant="light"
                aria-label={t('members.cut_of', { name: one.name })}
                onClick={() => setRemoved(one)}
              >
                {t('members.cut')}
              </Button>
            )}
          </Group>
        )}
      </Entries>
      {removed !== null && (
        <RemoveCredential member={member} credential={removed} onClose={() => setRemoved(null)} />
      )}
    </section>
  );
}

function Reach({ credential: one }: { credential: MemberCredential }) {
  const { t } = useTranslation();
  const titles = useTeamTitles();
  const teams = listOf(one.teams.map(({ id, name }) => titles.get(id) ?? name));
  return (
    <>
      {one.runs_here
        ? t('members.runs_here', { teams: teams || t('key.nothing') })
        : t('members.rest_only')}
      {' · '}
      {t('org.permissions', { count: one.permissions.length })}
      {' · '}
      {one.last_used_at === null ? t('keys.never_used') : <Moment at={one.last_used_at} />}
    </>
  );
}

function RemoveCredential({
  member,
  credential,
  onClose,
}: {
  member: Member;
  credential: MemberCredential;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const { name } = credential;
  const remove = useMutation({
    mutationFn: () => removeCredential(id, member.account_id, credential),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      title={t('members.cut_title', { name })}
      name={name}
      typeLabel={t('key.revoke_type', { name })}
      action={t('members.cut')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{t('members.cut_body')}</Text>
    </ConfirmDialog>
  );
}
