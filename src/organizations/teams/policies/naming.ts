import type { Authz } from '../../../authz/authz.ts';
import { teamSeatIn } from '../../../caller/access.ts';
import { isSession } from '../../../caller/principal.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { Grants } from '../../grants/grants.ts';
import { listTeamsNaming } from '../store.ts';
import type { PolicyFamily } from './policies.ts';

/** An item of an organization's catalog. */
export interface CatalogItem {
  organization_id: string;
  family: PolicyFamily;
  id: string;
}

/**
 * Creates the function that returns the teams whose policies name an item, of those whose policies
 * the caller may view. The patterns of resource policies name no item.
 */
export function createTeamsNaming({
  database,
  authz,
  grants,
}: Pick<OrganizationsDependencies, 'database'> & {
  authz: Pick<Authz, 'checkEach'>;
  grants: Pick<Grants, 'managesEveryTeam'>;
}) {
  return async function teamsNaming(caller: Principal, { family, ...item }: CatalogItem) {
    if (family === 'resource') return [];
    const teams = [...(await listTeamsNaming(database.pool, { family, ...item }))];
    if (teams.length === 0 || (await grants.managesEveryTeam(caller, item.organization_id)))
      return teams;
    // As for the route that shows the policy: a credential must be active in the team.
    const relations = [...(isSession(caller) ? [] : ['active']), `can_${family}_policies_read`];
    const checks = teams.flatMap(({ id: team_id }) =>
      relations.map((relation) => ({ object: teamSeatIn(caller, { team_id })!, relation })),
    );
    const results = await authz.checkEach(caller, checks);
    return teams.filter((_, index) =>
      relations.every((_relation, offset) => results[index * relations.length + offset]),
    );
  };
}
