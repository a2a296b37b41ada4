import { capabilityByScope, permissionByScope } from '../../authz/permissions.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { ScopeState } from '../../caller/scope.ts';
import { unknownTeam } from '../../organizations/organizations.ts';
import type { Delegation } from '../../organizations/organizations.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { everyTeam } from './rules.ts';

/** What a registration or an edit gives to a client of an organization. */
export interface GivenAuthority {
  organization_id: string;
  /** Teams that the client is newly bound to, with their position in the body. */
  added_teams: readonly { id: string; index: number }[];
  /** What the client may do by itself (SC4); null for one that acts as the people who use it. */
  own: {
    scopes: readonly { name: string; pointer: string }[];
    team_ids: readonly string[] | null;
    /** The field that binds the client to its teams. */
    teams_pointer: string;
  } | null;
}

export interface CheckedAuthority {
  problems: Problem[];
  /** The scopes that the result depends on. */
  basis: readonly ScopeState[];
}

/**
 * Creates a function that returns the problems of giving a client authority in an organization: its
 * registrar must be able to use the teams and, if it acts by itself, hold all of it in its teams
 * (SC4), even if the registrar loses some of it later.
 */
export function createAuthorityRules({ delegation }: { delegation: Delegation }) {
  return async function checkAuthority(
    caller: SessionPrincipal,
    { organization_id, added_teams, own }: GivenAuthority,
  ): Promise<CheckedAuthority> {
    if (added_teams.length === 0 && own === null) return { problems: [], basis: caller.scopes };
    const member = await delegation.findMember({ organization_id, account_id: caller.person });
    if (member === null) throw absent('the caller is not a member any more');
    const named = new Set([...added_teams.map(({ id }) => id), ...(own?.team_ids ?? [])]);
    const unreachable = await delegation.findUnreachableTeams(member, [...named]);
    const unknownTeams = added_teams.flatMap(({ id, index }) =>
      unreachable.has(id) ? [unknownTeam(`/team_ids/${index}`)] : [],
    );
    // The caller's own scope, as read by authentication, takes precedence.
    const basis = [...member.scopes, ...caller.scopes];
    if (own === null) return { problems: unknownTeams, basis };
    const added = new Set(added_teams.map(({ id }) => id));
    const isAboveCaller =
      own.team_ids === null
        ? (await delegation.findReachableTeams(member)) !== null
        : own.team_ids.some((id) => unreachable.has(id) && !added.has(id));
    const problems = await delegation.problems(member, {
      permissions: own.scopes.flatMap(({ name, pointer }) => {
        const grant = permissionByScope(name)?.grant ?? null;
        return grant === null ? [] : [{ name: grant, pointer }];
      }),
      capabilities: own.scopes.flatMap(({ name, pointer }) => {
        const capability = capabilityByScope(name);
        return capability === null ? [] : [{ name: capability, pointer }];
      }),
      team_ids: own.team_ids?.filter((id) => !unreachable.has(id)) ?? null,
      acts_for_member: false,
    });
    return {
      problems: [
        ...unknownTeams,
        ...(isAboveCaller ? [everyTeam(own.teams_pointer)] : []),
        ...problems,
      ],
      basis,
    };
  };
}

/** Returns the scopes of a body with their pointers. */
export const pointed = (scopes: readonly string[]) =>
  scopes.map((name, index) => ({ name, pointer: `/allowed_scopes/${index}` }));
