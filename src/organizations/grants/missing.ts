import type { Authz } from '../../authz/authz.ts';
import { MANAGES_EVERY_TEAM } from '../../authz/permissions.ts';
import { contextIn } from '../../caller/access.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { createHeldInTeams } from './held-in-teams.ts';
import type { TeamsRequired } from './held-in-teams.ts';
import type { Holder, Requirement } from './requirements.ts';

/** Where something is given. */
export interface Places {
  organization_id: string;
  /** Reads the teams, after the scopes of the holder; without any, only the organization counts. */
  teams(): Promise<readonly string[]> | readonly string[];
  /**
   * In how many of the teams a permission in teams must be held; null if all of them are not enough,
   * because later ones will count too.
   */
  required: TeamsRequired | null;
}

/**
 * Creates the function that answers whether someone may give something: it returns the requirements
 * that the holder does not meet (G2, C5), as of the holder's scopes. The change that follows has
 * them as its basis: if one of them changes, it is decided again.
 */
export function createMissing({ authz }: { authz: Pick<Authz, 'check' | 'checkEach'> }) {
  const heldInTeams = createHeldInTeams({ authz });

  /** Returns the requirements that the holder does not meet in the organization itself. */
  async function findUnmet(
    holder: Holder,
    requirements: readonly Requirement[],
    organization_id: string,
  ): Promise<readonly Requirement[]> {
    const askedOf = ({ where, relation }: Requirement): string[] => {
      if (where === 'nowhere') return [];
      if (where !== 'team') return [relation];
      return managesTeams(holder) ? [MANAGES_EVERY_TEAM] : [];
    };
    const asked = new Set(requirements.flatMap(askedOf));
    if (asked.size === 0) return requirements;
    const held = await authz.check(holder, [...asked], homeOf(holder, organization_id));
    return requirements.filter((one) => !askedOf(one).some((name) => held.get(name) === true));
  }

  return async function missing(
    holder: Holder,
    requirements: readonly Requirement[],
    { organization_id, teams, required }: Places,
  ): Promise<readonly Requirement[]> {
    if (requirements.length === 0) return [];
    const unmet = await findUnmet(holder, requirements, organization_id);
    const teamsRequired = ({ where }: Requirement): TeamsRequired | null => {
      if (where === 'either') return 'some';
      return where === 'team' ? required : null;
    };
    const inTeams = new Map(
      unmet.flatMap((one) => {
        const number = teamsRequired(one);
        return number === null ? [] : [[one.relation, number] as const];
      }),
    );
    if (inTeams.size === 0) return unmet;
    const held = await heldInTeams(holder, await teams(), inTeams);
    // Kept by requirement, since a permission of the organization and one of a team can share a relation.
    return unmet.filter((one) => teamsRequired(one) === null || !held.has(one.relation));
  };
}

/** Only sessions manage every team, and people who are checked as if they had one. */
export const managesTeams = ({ credential }: Holder): boolean => credential.kind === 'session';

/** Returns the holder's object in the organization; throws 404 if the holder is not in it. */
export function homeOf(holder: Holder, organization_id: string): string {
  const home = contextIn('organization', holder, { organization_id });
  if (home === null) throw absent('the request is in no organization');
  return home;
}
