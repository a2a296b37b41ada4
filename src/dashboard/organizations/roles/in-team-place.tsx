import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LoadingPage } from '../../parts/loading.tsx';
import { Problem } from '../parts/problem.tsx';
import { teamQuery } from '../teams/teams.ts';
import { useOrganization } from '../use-organization.ts';
import { teamRolePlace } from './role-kinds.ts';
import type { RolePlace } from './role-kinds.ts';

/** Shows a page of the roles of the team in the address, once the team is read. */
export function InTeamPlace({ children }: { children(place: RolePlace): ReactNode }) {
  const { teamId = '' } = useParams({ strict: false });
  const { id, held } = useOrganization();
  const team = useQuery(teamQuery(id, teamId));
  if (team.data !== undefined) return children(teamRolePlace(id, team.data, held));
  if (team.isError) return <Problem error={team.error} onRetry={() => void team.refetch()} />;
  return <LoadingPage />;
}
