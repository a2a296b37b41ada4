import type { Authz } from '../../authz/authz.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { RequestedGrant } from '../grants/grants.ts';
import { createMissing } from '../grants/missing.ts';
import { teamRequirementsOf } from '../grants/requirements.ts';
import type { TeamVisibility } from '../teams/visibility.ts';

/** Decides what the author of a role for all teams may put into it while nobody has it. */
export function createRoleAuthorGuard({
  authz,
  visibility,
}: {
  authz: Pick<Authz, 'check' | 'checkEach'>;
  visibility: Pick<TeamVisibility, 'teamsInside'>;
}) {
  const missing = createMissing({ authz });

  return {
    /**
     * Returns a problem for each permission and capability that the author has in no team, unless
     * they may manage every team. Assigning the role is measured in its team.
     */
    async problems(
      author: Principal,
      organization_id: string,
      added: readonly RequestedGrant[],
    ): Promise<Problem[]> {
      const required = added.flatMap(({ content, pointer }) =>
        teamRequirementsOf(author, content, pointer),
      );
      if (required.length === 0) return [];
      const teams = await visibility.teamsInside(author, organization_id);
      if (teams === null) return [];
      const places = { organization_id, teams: () => [...teams], required: 'some' as const };
      return (await missing(author, required, places)).map(({ problem }) => problem);
    },
  };
}
export type RoleAuthorGuard = ReturnType<typeof createRoleAuthorGuard>;
