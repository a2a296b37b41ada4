import type { Authz } from '../authz/authz.ts';
import { MANAGES_EVERY_TEAM } from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../caller/access.ts';
import { isSession, tokenGrantOf } from '../caller/principal.ts';
import type { MachinePrincipal, Principal } from '../caller/principal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from './dependencies.ts';
import { createMissing } from './grants/missing.ts';
import { capabilityRequirement, isMachine, permissionRequirements } from './grants/requirements.ts';
import type { PointedName } from './grants/requirements.ts';
import { readMember } from './members/principal.ts';
import type { MemberPrincipal } from './members/principal.ts';
import { findMember } from './members/store.ts';
import type { MemberKey } from './members/store.ts';
import { membershipObject } from './members/tuples.ts';
import { findSeated } from './teams/store.ts';

/** The authority that a member grants to a credential, and the credential's teams. */
export interface DelegatedAuthority {
  permissions: readonly PointedName<string>[];
  capabilities: readonly PointedName<Capability>[];
  /** The teams that the credential is bound to; null if it follows the member's teams. */
  team_ids: readonly string[] | null;
  /**
   * False for a credential of the organization itself, which the member's later roles do not limit:
   * the member must have a team permission in every team of the credential.
   */
  acts_for_member: boolean;
}

/** The member, or the access token with its teams, whose authority limits what is granted. */
export type Grantor = MemberPrincipal & Partial<Pick<MachinePrincipal, 'team_ids'>>;

/** Decides what members and access tokens may grant to credentials in an organization (G2, G5, C5). */
export interface Delegation {
  /**
   * Returns whose authority limits what a caller grants: that of the member in a session, or of an
   * access token, within its scopes and teams; null for anyone else.
   */
  findGrantor(caller: Principal, organization_id: string): Promise<Grantor | null>;
  /** Returns a member who may use the organization for their own credentials; null for others. */
  findMember(key: MemberKey): Promise<MemberPrincipal | null>;
  /** Returns the given teams that the member cannot use, including teams of other organizations. */
  findUnreachableTeams(member: Grantor, team_ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the teams that the member can use; null means all teams, including later ones. */
  findReachableTeams(member: Grantor): Promise<readonly string[] | null>;
  /**
   * Returns the teams that a member can use, where null means all; returns null for everyone who may
   * not use the organization for their own credentials.
   */
  findTeams(key: MemberKey): Promise<{ team_ids: readonly string[] | null } | null>;
  /**
   * Returns a problem for each permission and capability that the member does not have, as of the
   * member's scopes. The member needs a capability in the organization or in one of the
   * credential's teams, and a team permission in one of them if the credential acts for the member.
   */
  problems(member: Grantor, delegated: DelegatedAuthority): Promise<Problem[]>;
}

type DelegationDependencies = Pick<OrganizationsDependencies, 'database'> & {
  authz: Pick<Authz, 'check' | 'checkEach'>;
};

export function createDelegation(dependencies: DelegationDependencies): Delegation {
  const { database, authz } = dependencies;

  async function managesEveryTeam(member: Grantor): Promise<boolean> {
    const results = await authz.check(member, [MANAGES_EVERY_TEAM], homeOf(member));
    return results.get(MANAGES_EVERY_TEAM) === true;
  }

  async function findMemberOf(key: MemberKey): Promise<MemberPrincipal | null> {
    const member = await readMember(database.authPool, key);
    if (member === null) return null;
    const results = await authz.check(member, ['can_scope_own_keys'], membershipObject(key));
    return results.get('can_scope_own_keys') === true ? member : null;
  }

  /** An access token reaches the teams in which it is active, and no later ones. */
  async function findInactive(token: Grantor, team_ids: readonly string[]) {
    const checks = team_ids.map((id) => ({ object: seatIn(token, id), relation: 'active' }));
    const results = await authz.checkEach(token, checks);
    return new Set(team_ids.filter((_, index) => results[index] !== true));
  }

  /** A token reaches at most the teams of its own. */
  async function findReachableTeams(member: Grantor): Promise<readonly string[] | null> {
    const { team_ids = null } = member;
    if (isMachine(member)) return team_ids;
    if (await managesEveryTeam(member)) return null;
    const seated = await findMember(database.pool, keyOf(member));
    const ids = seated?.teams.map(({ id }) => id) ?? [];
    return ids.filter((id) => team_ids === null || team_ids.includes(id));
  }

  return {
    findMember: findMemberOf,
    async findGrantor(caller, organization_id) {
      if (isSession(caller)) return findMemberOf({ organization_id, account_id: caller.person });
      const { organization } = caller;
      const isToken = tokenGrantOf(caller) !== null && organization?.id === organization_id;
      return isToken ? { ...caller, organization } : null;
    },
    async findUnreachableTeams(member, team_ids) {
      if (team_ids.length === 0) return new Set();
      if (tokenGrantOf(member) !== null) return findInactive(member, team_ids);
      const managesEvery = await managesEveryTeam(member);
      const teams = await findSeated(database.pool, keyOf(member), team_ids);
      const inReach = teams.filter(({ seated }) => seated || managesEvery);
      return new Set(team_ids).difference(new Set(inReach.map(({ id }) => id)));
    },
    findReachableTeams,
    async findTeams(key) {
      const member = await findMemberOf(key);
      return member === null ? null : { team_ids: await findReachableTeams(member) };
    },
    problems: createDelegationProblems(dependencies),
  };
}

const keyOf = ({ organization, person }: Grantor): MemberKey => ({
  organization_id: organization.id,
  account_id: person!,
});
const homeOf = (member: Grantor): string =>
  contextIn('organization', member, { organization_id: member.organization.id })!;
const seatIn = (member: Grantor, team_id: string): string => teamSeatIn(member, { team_id })!;

function createDelegationProblems({
  database,
  authz,
}: DelegationDependencies): Delegation['problems'] {
  const missing = createMissing({ authz });

  async function seatsOf(member: Grantor): Promise<readonly string[]> {
    if (isMachine(member)) return [];
    const seated = await findMember(database.pool, keyOf(member));
    return seated?.teams.map(({ id }) => id) ?? [];
  }

  return async function problems(member, delegated) {
    const { permissions, capabilities, team_ids, acts_for_member } = delegated;
    const requirements = [
      ...permissions.flatMap(permissionRequirements),
      ...capabilities.map((one) => capabilityRequirement(member, one)),
    ];
    const unmet = await missing(member, requirements, {
      organization_id: member.organization.id,
      teams: () => team_ids ?? seatsOf(member),
      required: requiredTeams(team_ids, acts_for_member),
    });
    return unmet.map(({ problem }) => problem);
  };
}

/**
 * A credential of the organization that follows all teams is also in teams created later: only a
 * member who manages every team can grant it a permission in all of them.
 */
const requiredTeams = (team_ids: readonly string[] | null, acts_for_member: boolean) => {
  if (acts_for_member) return 'some';
  return team_ids === null ? null : 'every';
};
