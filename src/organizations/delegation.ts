import type { Authz } from '../authz/authz.ts';
import { organizationPermissionByGrant, teamPermissionByGrant } from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from './dependencies.ts';
import { capabilityEscalation, permissionNotHeld } from './escalation.ts';
import { readMember } from './members/principal.ts';
import type { MemberPrincipal } from './members/principal.ts';
import { findMember } from './members/store.ts';
import type { MemberKey } from './members/store.ts';
import { membershipObject } from './members/tuples.ts';
import { seatObject } from './teams/seats/tuples.ts';
import { findSeated } from './teams/store.ts';

/** A permission or capability that a member grants to a credential, with the pointer to it. */
interface DelegatedName<Name extends string> {
  name: Name;
  pointer: string;
}

/** The authority that a member grants to a credential, and the credential's teams. */
export interface DelegatedAuthority {
  permissions: readonly DelegatedName<string>[];
  capabilities: readonly DelegatedName<Capability>[];
  /** The teams that the credential is bound to; null if it follows the member's teams. */
  team_ids: readonly string[] | null;
  /**
   * False for a credential of the organization itself, which the member's later roles do not limit:
   * the member must have a team permission in every team of the credential.
   */
  acts_for_member: boolean;
}

/** Decides what members may grant to credentials in an organization (G2, G5, C5). */
export interface Delegation {
  /** Returns a member who may use the organization for their own credentials; null for others. */
  findMember(key: MemberKey): Promise<MemberPrincipal | null>;
  /** Returns the given teams that the member cannot use, including teams of other organizations. */
  findUnreachableTeams(
    member: MemberPrincipal,
    team_ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Returns the teams that the member can use; null means all teams, including later ones. */
  findReachableTeams(member: MemberPrincipal): Promise<readonly string[] | null>;
  /**
   * Returns a problem for each permission and capability that the member does not have, as of the
   * member's scopes. The member needs a capability in the organization or in one of the
   * credential's teams, and a team permission in one of them if the credential acts for the member.
   */
  problems(member: MemberPrincipal, delegated: DelegatedAuthority): Promise<Problem[]>;
}

const EVERY_TEAM = 'can_manage_every_team';

type DelegationDependencies = Pick<OrganizationsDependencies, 'database'> & {
  authz: Pick<Authz, 'check' | 'checkEach'>;
};

export function createDelegation(dependencies: DelegationDependencies): Delegation {
  const { database, authz } = dependencies;

  async function managesEveryTeam(member: MemberPrincipal): Promise<boolean> {
    const results = await authz.check(member, [EVERY_TEAM], membershipObject(keyOf(member)));
    return results.get(EVERY_TEAM) === true;
  }

  return {
    async findMember(key) {
      const member = await readMember(database.authPool, key);
      if (member === null) return null;
      const object = membershipObject(key);
      const results = await authz.check(member, ['can_scope_own_keys'], object);
      return results.get('can_scope_own_keys') === true ? member : null;
    },
    async findUnreachableTeams(member, team_ids) {
      if (team_ids.length === 0) return new Set();
      const managesEvery = await managesEveryTeam(member);
      const teams = await findSeated(database.pool, keyOf(member), team_ids);
      const inReach = teams.filter(({ seated }) => seated || managesEvery);
      return new Set(team_ids).difference(new Set(inReach.map(({ id }) => id)));
    },
    async findReachableTeams(member) {
      if (await managesEveryTeam(member)) return null;
      const seated = await findMember(database.pool, keyOf(member));
      return seated?.teams.map(({ id }) => id) ?? [];
    },
    problems: createDelegationProblems(dependencies),
  };
}

const keyOf = ({ organization, person }: MemberPrincipal): MemberKey => ({
  organization_id: organization.id,
  account_id: person!,
});

function createDelegationProblems({
  database,
  authz,
}: DelegationDependencies): Delegation['problems'] {
  /**
   * Returns in how many of the credential's teams the member has each relation, and how many teams
   * there are. Reads the seats after the scopes.
   */
  async function countInTeams(
    member: MemberPrincipal,
    team_ids: readonly string[] | null,
    relations: readonly string[],
  ): Promise<{ held: ReadonlyMap<string, number>; teams: number }> {
    const held = new Map<string, number>();
    if (relations.length === 0) return { held, teams: 0 };
    const key = keyOf(member);
    const seats = team_ids ?? (await findMember(database.pool, key))?.teams.map(({ id }) => id);
    const teams = seats ?? [];
    const checks = teams.flatMap((team_id) =>
      relations.map((relation) => ({ object: seatObject({ ...key, team_id }), relation })),
    );
    const results = checks.length === 0 ? [] : await authz.checkEach(member, checks);
    for (const [index, { relation }] of checks.entries())
      if (results[index] === true) held.set(relation, (held.get(relation) ?? 0) + 1);
    return { held, teams: teams.length };
  }

  /** Returns the requirements that the member does not meet in the organization itself. */
  async function findUnmet(member: MemberPrincipal, requirements: readonly Requirement[]) {
    const relations = requirements
      .filter(({ context }) => context !== 'team')
      .map(({ relation }) => relation);
    const object = membershipObject(keyOf(member));
    const results = await authz.check(member, [...new Set([EVERY_TEAM, ...relations])], object);
    return requirements.filter(
      ({ context, relation }) => results.get(context === 'team' ? EVERY_TEAM : relation) !== true,
    );
  }

  return async function problems(member, { permissions, capabilities, team_ids, ...credential }) {
    const requirements = [
      ...permissions.flatMap(permissionRequirements),
      ...capabilities.map(capabilityRequirement),
    ];
    if (requirements.length === 0) return [];
    const unmet = await findUnmet(member, requirements);
    const unmetInTeams = unmet.filter(({ context }) => context !== 'organization');
    const relations = [...new Set(unmetInTeams.map(({ relation }) => relation))];
    const { held, teams } = await countInTeams(member, team_ids, relations);
    const isMetInTeams = ({ context, relation }: Requirement) => {
      const count = held.get(relation) ?? 0;
      if (context === 'organization') return false;
      if (context === 'either' || credential.acts_for_member) return count > 0;
      // A credential that follows all teams is also in teams created later. For one that is bound
      // to no team yet, only a member who manages every team can grant anything.
      return team_ids !== null && teams > 0 && count === teams;
    };
    return unmet.filter((requirement) => !isMetInTeams(requirement)).map(({ problem }) => problem);
  };
}

interface Requirement {
  /** Where the member must have the relation: in the organization, in a team, or in either. */
  context: 'organization' | 'team' | 'either';
  relation: string;
  problem: Problem;
}

/** Leaves out unknown names, which are reported separately. */
function permissionRequirements({ name, pointer }: DelegatedName<string>): Requirement[] {
  const problem = permissionNotHeld(name, pointer);
  const organization = organizationPermissionByGrant(name);
  if (organization !== null)
    return [{ context: 'organization', relation: `can_${organization.relation}`, problem }];
  const team = teamPermissionByGrant(name);
  return team === null ? [] : [{ context: 'team', relation: `can_${team.relation}`, problem }];
}

const capabilityRequirement = ({ name, pointer }: DelegatedName<Capability>): Requirement => ({
  context: 'either',
  relation: `role_mcp_${name}`,
  problem: capabilityEscalation(name, pointer),
});
