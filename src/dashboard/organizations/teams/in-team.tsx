import type { ReactNode } from 'react';
import { NeedsPermission } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { mayInTeam } from './teams.ts';
import type { Team } from './teams.ts';

/** Shows a part of the page, or which permission it needs. */
export function InTeam({
  team,
  needs,
  children,
}: {
  team: Team;
  needs: string;
  children: ReactNode;
}) {
  const { held } = useOrganization();
  return mayInTeam(held, team)(needs) ? (
    children
  ) : (
    <NeedsPermission permission={needs} team={team.title} />
  );
}
