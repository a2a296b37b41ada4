import { Badge, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterField } from '../../parts/filter-field.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Entries } from '../parts/entries.tsx';
import { useOrganization } from '../use-organization.ts';
import { membersQuery, personName } from './members.ts';
import type { Member } from './members.ts';
import { listOf } from '../../texts/texts.ts';

const SEARCH_MS = 250;

/** The members of the organization. */
export function MembersPage() {
  const { t } = useTranslation();
  const { id, name } = useOrganization();
  const [q, setSearch] = useState('');
  const [searched] = useDebouncedValue(q, SEARCH_MS);
  return (
    <Page title={t('members.title', { name })}>
      <Stack>
        <FilterField
          aria-label={t('members.search')}
          placeholder={t('members.search_hint')}
          maw={320}
          value={q}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Entries
          query={membersQuery(id, searched.trim())}
          empty={t('members.none')}
          idOf={({ account_id }: Member) => account_id}
        >
          {(member) => <MemberRow member={member} />}
        </Entries>
      </Stack>
    </Page>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  return (
    <Link
      to="/app/org/$organizationId/members/$accountId"
      params={{ organizationId: id, accountId: member.account_id }}
      className="list-row"
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>
            <bdi>{personName(member)}</bdi>
          </Text>
          <Text size="sm" c="dimmed">
            <bdi>{member.email}</bdi>
            {member.teams.length > 0 && (
              <> · {t('members.in_teams', { names: namesOf(member.teams) })}</>
            )}
          </Text>
        </div>
        <Group gap="xs">
          {member.roles.map((role) => (
            <Badge key={role.id} variant="default" size="sm" tt="none">
              {role.name}
            </Badge>
          ))}
          <Text size="sm" c="dimmed">
            <Moment at={member.joined_at} />
          </Text>
        </Group>
      </Group>
    </Link>
  );
}

const namesOf = (list: readonly { name: string }[]) => listOf(list.map(({ name }) => name));
