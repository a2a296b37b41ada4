import type { Authz } from '../../authz/authz.ts';
import { MANAGES_EVERY_TEAM, teamPermissionByGrant } from '../../authz/permissions.ts';
import type { TeamRelation } from '../../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import { requireNotSuspended } from '../../caller/refusals.ts';
import { absent, forbidden } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { capabilityEscalation, lacksPermission, permissionNotHeld } from '../escalation.ts';
import type { RequestedGrant, Holder } from '../escalation.ts';
import type { RoleContent } from '../roles/kind.ts';
import type { TeamParams } from './schema.ts';
import { teamRoles } from './roles/system.ts';

/**
 * Ensures that callers grant in a team only what they have there (G2, C5). A person who may manage
 * every team has all permissions in each; a capability may also come from the organization.
 */
export interface TeamEscalationGuard {
  /** Returns a problem for each permission and capability that the caller does not have there. */
  problems(
    caller: Holder,
    team: TeamParams,
    granted: readonly RequestedGrant[],
  ): Promise<Problem[]>;
  /** Returns the problems in the first of these teams that has any. */
  problemsInTeams(
    caller: Holder,
    teams: readonly TeamParams[],
    granted: readonly RequestedGrant[],
  ): Promise<Problem[]>;
  /** Returns whether the caller has the permission in the team. */
  holds(caller: Holder, team: TeamParams, permission: TeamRelation): Promise<boolean>;
  /** Throws 403 unless the caller has the permission in the team. */
  requirePermission(caller: Holder, team: TeamParams, permission: TeamRelation): Promise<void>;
  /**
   * Throws 403 unless the caller has all of a member's permissions and capabilities in the team.
   */
  requireHoldsAll(caller: Holder, team: TeamParams, content: RoleContent): Promise<void>;
  /** Returns whether a session may manage all teams of the organization, without a seat in them. */
  managesEveryTeam(caller: Holder, organization_id: string): Promise<boolean>;
}

interface GuardDependencies {
  authz: Pick<Authz, 'check'>;
}

const homeOf = (caller: Holder, organization_id: string) => {
  const home = contextIn('organization', caller, { organization_id });
  if (home === null) throw absent('the request is in no organization');
  return home;
};

/** Returns a function that creates checks of what a caller holds in a team. */
function heldChecks(authz: GuardDependencies['authz']) {
  /** Creates a function that returns whether the caller has one of the relations in the team. */
  return async function createHeldCheck(
    caller: Holder,
    { organization_id, team_id }: TeamParams,
    relations: ReadonlySet<string>,
  ): Promise<(relation: string) => boolean> {
    const home = homeOf(caller, organization_id);
    const capabilities = [...relations].filter((name) => name.startsWith('role_mcp_'));
    // Only sessions manage every team, and a credential of the organization has no role.
    const heldInHome = [
      ...(isPerson(caller) ? [MANAGES_EVERY_TEAM] : []),
      ...(caller.person === null ? [] : capabilities),
    ];
    const inOrganization =
      heldInHome.length === 0
        ? new Map<string, boolean>()
        : await authz.check(caller, heldInHome, home);
    const managesEvery = inOrganization.get(MANAGES_EVERY_TEAM) === true;
    const isHeldInOrganization = (relation: string) =>
      relation.startsWith('can_') ? managesEvery : inOrganization.get(relation) === true;
    const remaining = [...relations].filter((relation) => !isHeldInOrganization(relation));
    if (remaining.length === 0) return isHeldInOrganization;
    const inTeam = await authz.check(caller, remaining, teamSeatIn(caller, { team_id })!);
    return (relation) => isHeldInOrganization(relation) || inTeam.get(relation) === true;
  };
}

export function createTeamEscalationGuard({ authz }: GuardDependencies): TeamEscalationGuard {
  const createHeldCheck = heldChecks(authz);

  const holds: TeamEscalationGuard['holds'] = async (caller, team, permission) => {
    const relation = `can_${permission}`;
    return (await createHeldCheck(caller, team, new Set([relation])))(relation);
  };

  const problems: TeamEscalationGuard['problems'] = async (caller, team, granted) => {
    const required = granted.flatMap(({ content, pointer }) => requirementsOf(content, pointer));
    const relations = new Set(required.map(({ relation }) => relation));
    const isHeld = await createHeldCheck(caller, team, relations);
    return required
      .filter(({ relation }) => !isHeld(relation))
      .map(({ name, pointer, problem }) => problem(name, pointer));
  };

  return {
    problems,
    holds,
    async problemsInTeams(caller, teams, granted) {
      for (const team of teams) {
        const found = await problems(caller, team, granted);
        if (found.length > 0) return found;
      }
      return [];
    },
    async requirePermission(caller, team, permission) {
      requireNotSuspended(caller);
      if (!(await holds(caller, team, permission)))
        throw lacksPermission(caller, 'team', permission);
    },
    async requireHoldsAll(caller, team, content) {
      const relations = new Set(requirementsOf(content, '').map(({ relation }) => relation));
      const isHeld = await createHeldCheck(caller, team, relations);
      if (![...relations].every(isHeld))
        throw forbidden(
          'permission_denied',
          'This member has permissions or capabilities in the team that you do not have, so you cannot change or remove them.',
        );
    },
    async managesEveryTeam(caller, organization_id) {
      if (!isPerson(caller)) return false;
      const results = await authz.check(
        caller,
        [MANAGES_EVERY_TEAM],
        homeOf(caller, organization_id),
      );
      return results.get(MANAGES_EVERY_TEAM) === true;
    },
  };
}

/** Whether the caller is a session, or a person who is checked as if they had one. */
const isPerson = ({ credential }: Holder) => credential.kind === 'session';

/**
 * Returns the relations required to grant a role's content, each with the problem if it is missing.
 */
export const requirementsOf = ({ permissions, capabilities }: RoleContent, pointer: string) => [
  ...teamRoles.closure(new Set(permissions)).map((name) => ({
    ...{ pointer, name, relation: `can_${teamPermissionByGrant(name)?.relation}` },
    problem: permissionNotHeld,
  })),
  ...capabilities.map((name) => ({
    ...{ pointer, name, relation: `role_mcp_${name}` },
    problem: capabilityEscalation,
  })),
];
