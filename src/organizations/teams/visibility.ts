import type { Authz } from '../../authz/authz.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import { NOT_IN_TEAM } from '../../caller/refusals.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import type { TeamParams } from './schema.ts';
import { findSeated, findTeam, listTeams } from './store.ts';
import type { SeatedTeam, TeamRow } from './store.ts';

/** A team, and whether the caller is in it: with a seat or, for a credential, active. */
export type ViewedTeam = TeamRow & { inside: boolean };

/** Decides which teams of an organization a caller sees; all others respond with 404. */
export interface TeamVisibility {
  /** Returns the teams whose record the caller sees, oldest first. */
  list(caller: Principal, organization_id: string): Promise<readonly ViewedTeam[]>;
  /** Returns a team whose record the caller sees; throws 404 for all others. */
  find(caller: Principal, params: TeamParams): Promise<ViewedTeam>;
  /** Returns the ids of the teams that the caller is in, or of all if they may manage every team. */
  idsInside(caller: Principal, organization_id: string): Promise<ReadonlySet<string>>;
  /** Returns the ids of the teams that the caller is in; null if they may manage every team. */
  teamsInside(caller: Principal, organization_id: string): Promise<ReadonlySet<string> | null>;
  /** Returns whether the caller is in the team, or may manage every team. */
  isInside(caller: Principal, params: TeamParams): Promise<boolean>;
  /** Throws 404 unless the caller is in the team, or may manage every team. */
  requireInside(caller: Principal, params: TeamParams): Promise<Pick<TeamRow, 'name'>>;
}

export function createTeamVisibility({
  database,
  authz,
  grants,
}: Pick<OrganizationsDependencies, 'database'> & {
  authz: Pick<Authz, 'check' | 'checkEach'>;
  grants: Grants;
}): TeamVisibility {
  const { pool } = database;
  const insideOf = createInsideOf({ authz });

  async function seesAll(caller: Principal, organization_id: string): Promise<boolean> {
    const home = contextIn('organization', caller, { organization_id });
    if (home === null) throw absent('the request is in no organization');
    const results = await authz.check(caller, ['can_teams_read'], home);
    return (
      results.get('can_teams_read') === true ||
      (await grants.managesEveryTeam(caller, organization_id))
    );
  }

  async function findInside(caller: Principal, params: TeamParams): Promise<SeatedTeam | null> {
    const { organization_id, team_id } = params;
    const account_id = caller.person;
    const [team] = await findSeated(pool, { organization_id, account_id }, [team_id]);
    if (team === undefined) return null;
    const isInside =
      (await insideOf(caller, [team])).has(team.id) ||
      (await grants.managesEveryTeam(caller, organization_id));
    return isInside ? team : null;
  }

  const teamsInside: TeamVisibility['teamsInside'] = async (caller, organization_id) => {
    if (await grants.managesEveryTeam(caller, organization_id)) return null;
    const key = { organization_id, account_id: caller.person };
    return insideOf(caller, await findSeated(pool, key, null));
  };

  return {
    async list(caller, organization_id) {
      const teams = await listTeams(pool, organization_id, caller.person);
      const inside = await insideOf(caller, teams.map(seatOf));
      const viewed = teams.map((team) => ({ ...team, inside: inside.has(team.id) }));
      if (await seesAll(caller, organization_id)) return viewed;
      return viewed.filter((team) => team.inside);
    },
    async find(caller, params) {
      const { organization_id, team_id: id } = params;
      const team = await findTeam(pool, { id, organization_id }, caller.person);
      if (team === null) throw absent('no such team in the organization');
      const inside = (await insideOf(caller, [seatOf(team)])).has(id);
      if (!inside && !(await seesAll(caller, organization_id))) throw absent(NOT_IN_TEAM);
      return { ...team, inside };
    },
    async idsInside(caller, organization_id) {
      const inside = await teamsInside(caller, organization_id);
      if (inside !== null) return inside;
      const teams = await findSeated(pool, { organization_id, account_id: caller.person }, null);
      return new Set(teams.map(({ id }) => id));
    },
    teamsInside,
    isInside: async (caller, params) => (await findInside(caller, params)) !== null,
    async requireInside(caller, params) {
      const team = await findInside(caller, params);
      if (team === null) throw absent('no such team, or not in it');
      return team;
    },
  };
}

const seatOf = ({ id, roles }: TeamRow) => ({ id, seated: roles !== null });

const createInsideOf = ({ authz }: { authz: Pick<Authz, 'checkEach'> }) =>
  /** Returns the teams where a person has a seat or, for another credential, where it is active. */
  async function insideOf(
    caller: Principal,
    teams: readonly Pick<SeatedTeam, 'id' | 'seated'>[],
  ): Promise<ReadonlySet<string>> {
    if (isSession(caller)) return new Set(teams.filter(({ seated }) => seated).map(({ id }) => id));
    const checks = teams.map(({ id }) => ({
      object: teamSeatIn(caller, { team_id: id })!,
      relation: 'active',
    }));
    const results = await authz.checkEach(caller, checks);
    return new Set(teams.filter((_, index) => results[index]).map(({ id }) => id));
  };
