import type { Authz } from '../../authz/authz.ts';
import { grantName, teamPermissionByGrant } from '../../authz/permissions.ts';
import type { TeamRelation } from '../../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import { permissionDenied, requireNotSuspended } from '../../caller/refusals.ts';
import { absent, forbidden } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { capabilityEscalation, permissionNotHeld } from '../escalation.ts';
import type { Granted } from '../escalation.ts';
import type { RoleContent } from '../roles/kind.ts';
import type { TeamParams } from './schema.ts';
import { teamRoles } from './roles/system.ts';

/**
 * Decides that nobody gives in a team what they do not hold there (G2, C5). Who may manage every
 * team holds all of its permissions; a capability may also be held in the organization.
 */
export interface TeamEscalationGuard {
  /** Returns a problem for each permission and capability that the caller does not hold there. */
  problems(caller: Principal, team: TeamParams, granted: readonly Granted[]): Promise<Problem[]>;
  /** Returns the problems of the first of these teams where there are any. */
  problemsIn(
    caller: Principal,
    teams: readonly TeamParams[],
    granted: readonly Granted[],
  ): Promise<Problem[]>;
  /** Throws 403 without the permission in the team. */
  requirePermission(caller: Principal, team: TeamParams, permission: TeamRelation): Promise<void>;
  /** Throws 403 if this is more than the caller holds there: such a member is above them. */
  requireNotAbove(caller: Principal, team: TeamParams, content: RoleContent): Promise<void>;
  /** Returns whether a session may manage all teams of the organization, without a seat in them. */
  managesEveryTeam(caller: Principal, organization_id: string): Promise<boolean>;
}

const EVERY_TEAM = 'can_manage_every_team';

export function createTeamEscalationGuard({
  authz,
}: {
  authz: Pick<Authz, 'check'>;
}): TeamEscalationGuard {
  const homeOf = (caller: Principal, organization_id: string) => {
    const home = contextIn('organization', caller, { organization_id });
    if (home === null) throw absent('the request is in no organization');
    return home;
  };

  /** Returns a function that says whether the caller has a relation in the team. */
  async function heldIn(
    caller: Principal,
    { organization_id, team_id }: TeamParams,
    relations: ReadonlySet<string>,
  ): Promise<(relation: string) => boolean> {
    const home = homeOf(caller, organization_id);
    const capabilities = [...relations].filter((name) => name.startsWith('role_mcp_'));
    // Sessions alone manage teams without a seat, and give what a role may use over MCP.
    const inOrganization = isSession(caller)
      ? await authz.check(caller, [EVERY_TEAM, ...capabilities], home)
      : new Map<string, boolean>();
    const managesEvery = inOrganization.get(EVERY_TEAM) === true;
    const isHeldThere = (relation: string) =>
      relation.startsWith('can_') ? managesEvery : inOrganization.get(relation) === true;
    const others = [...relations].filter((relation) => !isHeldThere(relation));
    if (others.length === 0) return isHeldThere;
    const inTeam = await authz.check(caller, others, teamSeatIn(caller, { team_id })!);
    return (relation) => isHeldThere(relation) || inTeam.get(relation) === true;
  }

  const problems: TeamEscalationGuard['problems'] = async (caller, team, granted) => {
    const wanted = granted.flatMap(({ content, pointer }) => wantedBy(content, pointer));
    const isHeld = await heldIn(caller, team, new Set(wanted.map(({ relation }) => relation)));
    return wanted
      .filter(({ relation }) => !isHeld(relation))
      .map(({ name, pointer, problem }) => problem(name, pointer));
  };

  return {
    problems,
    async problemsIn(caller, teams, granted) {
      for (const team of teams) {
        const found = await problems(caller, team, granted);
        if (found.length > 0) return found;
      }
      return [];
    },
    async requirePermission(caller, team, permission) {
      requireNotSuspended(caller);
      const isHeld = await heldIn(caller, team, new Set([`can_${permission}`]));
      if (!isHeld(`can_${permission}`))
        throw permissionDenied(grantName('team', permission) ?? permission);
    },
    async requireNotAbove(caller, team, content) {
      const relations = new Set(wantedBy(content, '').map(({ relation }) => relation));
      const isHeld = await heldIn(caller, team, relations);
      if (![...relations].every(isHeld))
        throw forbidden('permission_denied', 'This member may do more in the team than you.');
    },
    async managesEveryTeam(caller, organization_id) {
      if (!isSession(caller)) return false;
      const answers = await authz.check(caller, [EVERY_TEAM], homeOf(caller, organization_id));
      return answers.get(EVERY_TEAM) === true;
    },
  };
}

/** Returns the relations that hold what a role gives, each with the problem of not having it. */
const wantedBy = ({ permissions, capabilities }: RoleContent, pointer: string) => [
  ...teamRoles.closure(new Set(permissions)).map((name) => ({
    ...{ pointer, name, relation: `can_${teamPermissionByGrant(name)?.relation}` },
    problem: permissionNotHeld,
  })),
  ...capabilities.map((name) => ({
    ...{ pointer, name, relation: `role_mcp_${name}` },
    problem: capabilityEscalation,
  })),
];
