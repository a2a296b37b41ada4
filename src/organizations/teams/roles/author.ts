import type { Authz } from '../../../authz/authz.ts';
import { contextIn } from '../../../caller/access.ts';
import type { Principal } from '../../../caller/principal.ts';
import { absent } from '../../../platform/errors/refusal.ts';
import type { RequestedGrant } from '../../escalation.ts';
import { createHeldInTeams } from '../../held-in-teams.ts';
import { requirementsOf } from '../escalation.ts';
import type { TeamVisibility } from '../visibility.ts';

/** Decides what the author of a role for all teams may put into it while nobody has it. */
export function createRoleAuthorGuard({
  authz,
  visibility,
}: {
  authz: Pick<Authz, 'check' | 'checkEach'>;
  visibility: Pick<TeamVisibility, 'teamsInside'>;
}) {
  const heldInTeams = createHeldInTeams({ authz });

  /** Returns the capabilities that a person has in every team through a role of the organization. */
  async function heldInOrganization(
    author: Principal,
    organization_id: string,
    relations: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    const home = contextIn('organization', author, { organization_id });
    if (home === null) throw absent('the request is in no organization');
    const capabilities = [...relations].filter((name) => name.startsWith('role_mcp_'));
    if (author.person === null || capabilities.length === 0) return new Set();
    const results = await authz.check(author, capabilities, home);
    return new Set(capabilities.filter((name) => results.get(name) === true));
  }

  return {
    /**
     * Returns a problem for each permission and capability that the author has in no team, unless
     * they may manage every team. Assigning the role is measured in its team.
     */
    async problems(author: Principal, organization_id: string, added: readonly RequestedGrant[]) {
      const required = added.flatMap(({ content, pointer }) => requirementsOf(content, pointer));
      if (required.length === 0) return [];
      const teams = await visibility.teamsInside(author, organization_id);
      if (teams === null) return [];
      const relations = new Set(required.map(({ relation }) => relation));
      const held = await heldInOrganization(author, organization_id, relations);
      const open = [...relations.difference(held)].map((name) => [name, 'some'] as const);
      const inTeams = await heldInTeams(author, [...teams], new Map(open));
      return required
        .filter(({ relation }) => !held.has(relation) && !inTeams.has(relation))
        .map(({ name, pointer, problem }) => problem(name, pointer));
    },
  };
}
export type RoleAuthorGuard = ReturnType<typeof createRoleAuthorGuard>;
