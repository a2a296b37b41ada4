import type { Principal } from '../../../caller/principal.ts';
import type { Problem } from '../../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { Grants, RequestedGrant } from '../../grants/grants.ts';
import { unknownRole } from '../../roles/choice.ts';
import type { ChosenRoles } from '../../roles/choice.ts';
import type { HeldRole } from '../../roles/kind.ts';
import type { TeamParams } from '../schema.ts';
import { listTeamRoles } from './store.ts';
import { teamRoles } from './system.ts';

/**
 * Finds the roles that a caller names for a member of a team: system roles, roles for all teams,
 * and the team's own. The caller must be allowed to grant the ones that the member does not have
 * yet.
 */
export const createTeamRoleChoice = ({
  database,
  grants,
}: Pick<OrganizationsDependencies, 'database'> & { grants: Grants }) =>
  async function chooseRoles(
    caller: Principal,
    team: TeamParams,
    { role_ids, held }: { role_ids: readonly string[]; held: readonly string[] },
    pointerOf = (index: number) => `/role_ids/${index}`,
  ): Promise<ChosenRoles> {
    const found = await listTeamRoles(database.pool, team, role_ids);
    const custom = new Map(found.map((role) => [role.id, role]));
    const problems: Problem[] = [];
    const roles: HeldRole[] = [];
    const granted: RequestedGrant[] = [];
    for (const [index, id] of role_ids.entries()) {
      const role = { id, custom: custom.get(id) ?? null };
      if (role.custom === null && teamRoles.systemRoleOf(id) === null)
        problems.push(unknownRole(pointerOf(index)));
      else {
        roles.push(role);
        if (!held.includes(id))
          granted.push({ pointer: pointerOf(index), content: teamRoles.resolve(role) });
      }
    }
    return { roles, problems: [...problems, ...(await grants.problems(caller, granted, team))] };
  };
