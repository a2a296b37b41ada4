import { Button, Stack } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterField } from '../../parts/filter-field.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Fact, Row } from '../../parts/row.tsx';
import { InviteDialog } from '../invitations/invite-dialog.tsx';
import { Entries } from '../parts/entries.tsx';
import { useTeamTitles } from '../teams/use-team-titles.ts';
import { useOrganization } from '../use-organization.ts';
import { membersQuery, personName } from './members.ts';
import type { Member } from './members.ts';
import { listOf } from '../../texts/texts.ts';

const SEARCH_MS = 250;

/** The members of the organization. */
export function MembersPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const titles = useTeamTitles();
  const [isOpen, dialog] = useDisclosure(false);
  const [q, setSearch] = useState('');
  const [searched] = useDebouncedValue(q, SEARCH_MS);
  return (
    <Page
      title={t('members.title', { name })}
      actions={
        may('can_invite_organization_members') && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
            {t('invitations.invite')}
          </Button>
        )
      }
    >
      <Stack>
        <FilterField
          aria-label={t('members.search')}
          placeholder={t('members.search_hint')}
          maw={{ xs: 320 }}
          value={q}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Entries
          query={membersQuery(id, searched.trim())}
          empty={t('members.none')}
          idOf={({ account_id }: Member) => account_id}
        >
          {(member) => <MemberRow member={member} titles={titles} />}
        </Entries>
      </Stack>
      {isOpen && <InviteDialog onClose={dialog.close} />}
    </Page>
  );
}

function MemberRow({ member, titles }: { member: Member; titles: ReadonlyMap<string, string> }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const teams = member.teams.map((team) => titles.get(team.id) ?? team.name);
  return (
    <Link
      to="/app/org/$organizationId/members/$accountId"
      params={{ organizationId: id, accountId: member.account_id }}
      className="list-row columns"
    >
      <Row
        name={<bdi>{personName(member)}</bdi>}
        about={
          <>
            <bdi>{member.email}</bdi>
            {teams.length > 0 && <> · {t('members.in_teams', { names: listOf(teams) })}</>}
          </>
        }
        end={
          <>
            {t('members.joined_at')} <Moment at={member.joined_at} />
          </>
        }
      >
        <Fact>{listOf(member.roles.map(({ name }) => name))}</Fact>
      </Row>
    </Link>
  );
}
