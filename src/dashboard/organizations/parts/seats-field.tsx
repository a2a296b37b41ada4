import { MultiSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { pathOf, wholeQuery } from '../organizations.ts';
import type { Team } from '../teams/teams.ts';
import { useOrganization } from '../use-organization.ts';
import { Problem } from './problem.tsx';
import { TeamRolesField } from './team-roles-field.tsx';

/** A place in a team, with the roles that come with it. */
export interface Seat {
  team_id: string;
  role_ids: string[];
}

/** Chooses teams that people join, and their roles in each. */
export function SeatsField({
  value = [],
  error,
  onChange,
}: {
  value?: readonly Seat[];
  error?: ReactNode;
  onChange(value: Seat[]): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const teams = useQuery(wholeQuery<Team>(pathOf(id, '/teams')));
  if (teams.data === undefined && teams.isError)
    return <Problem error={teams.error} onRetry={() => void teams.refetch()} />;
  const all = teams.data ?? [];
  const seatIn = (team_id: string) =>
    value.find((seat) => seat.team_id === team_id) ?? { team_id, role_ids: [] };
  if (all.length === 0 && value.length === 0) return null;
  return (
    <Stack gap="sm">
      <MultiSelect
        label={t('members.teams')}
        description={t('invitations.teams_hint')}
        searchable
        data={all.map((team) => ({ value: team.id, label: team.title }))}
        value={value.map(({ team_id }) => team_id)}
        error={error}
        data-path="teams"
        onChange={(chosen) => onChange(chosen.map(seatIn))}
      />
      {all
        .filter((team) => value.some(({ team_id }) => team_id === team.id))
        .map((team) => (
          <TeamRolesField
            key={team.id}
            team={team}
            label={t('invitations.team_roles', { team: team.title })}
            value={seatIn(team.id).role_ids}
            onChange={(role_ids) =>
              onChange(
                value.map((seat) => (seat.team_id === team.id ? { ...seat, role_ids } : seat)),
              )
            }
          />
        ))}
    </Stack>
  );
}
