import { Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { everyTeamGrant } from '../../../authz/permissions.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { organizationsQuery, pathOf, wholeQuery } from '../organizations.ts';
import { isInside } from '../teams/teams.ts';
import type { Team } from '../teams/teams.ts';
import { listOf } from '../../texts/texts.ts';
import { permissionWords } from './permission-words.ts';

/** The teams in which a credential is active: single ones, or all, later ones too (null). */
export function TeamsField({
  organizationId,
  actsForPerson,
  stored,
  value,
  error,
  onChange,
}: {
  organizationId: string;
  /** A credential of a person follows the person; another one follows all teams. */
  actsForPerson: boolean;
  /** The teams of the saved credential. */
  stored: readonly { id: string; name: string | null }[];
  value: readonly string[] | null;
  error: ReactNode;
  onChange(value: string[] | null): void;
}) {
  const { t } = useTranslation();
  const organizations = useQuery(organizationsQuery);
  const teams = useQuery(wholeQuery<Team>(pathOf(organizationId, '/teams')));
  const organization = organizations.data?.find(({ id }) => id === organizationId);
  const held = new Set<string>(organization?.membership.permissions);
  const everyTeam = listOf(permissionWords([everyTeamGrant], t));
  const mayFollow = actsForPerson || value === null || held.has(everyTeamGrant);
  const reachable = (teams.data ?? []).filter((team) => isInside(held, team));
  const left = stored.filter(({ id }) => !reachable.some((team) => team.id === id));
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('team_binding.label')}
        value={value === null ? 'all' : 'some'}
        error={error}
        data-path="team_ids"
        tabIndex={-1}
        onChange={(mode) => onChange(mode === 'all' ? null : [])}
      >
        <Stack gap={6} mt={6} mb={4}>
          <Radio
            size="xs"
            value="all"
            label={t(actsForPerson ? 'team_binding.of_person' : 'team_binding.all')}
            description={mayFollow ? undefined : t('team_binding.needs', { permission: everyTeam })}
            disabled={!mayFollow}
          />
          <Radio size="xs" value="some" label={t('team_binding.some')} />
        </Stack>
      </Radio.Group>
      {teams.isError && <ErrorAlert error={teams.error} onRetry={() => void teams.refetch()} />}
      {value !== null && (
        <ItemPicker
          title={t('space.teams')}
          items={
            teams.data && [
              ...reachable.map(({ id, title }) => ({ id, name: title })),
              ...left.map(({ id, name }) => ({
                id,
                name: name ?? id,
                note: t('team_binding.left'),
              })),
            ]
          }
          selected={value}
          onChange={onChange}
        />
      )}
    </Stack>
  );
}
