import type { Authz } from '../../authz/authz.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { TeamEscalationGuard } from './escalation.ts';
import type { TeamParams } from './schema.ts';
import { findTeam, listTeams } from './store.ts';
import type { TeamRow } from './store.ts';

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
  /** Returns whether the caller is in the team, or may manage every team. */
  isInside(caller: Principal, params: TeamParams): Promise<boolean>;
  /** Throws 404 unless the caller is in the team, or may manage every team. */
  requireInside(caller: Principal, params: TeamParams): Promise<TeamRow>;
}

export function createTeamVisibility({
  database,
  authz,
  guard,
}: Pick<OrganizationsDependencies, 'database'> & {
  authz: Pick<Authz, 'check' | 'checkEach'>;
  guard: TeamEscalationGuard;
}): TeamVisibility {
  const { pool } = database;

  /** Returns the teams where a person has a seat or, for another credential, where it is active. */
  async function filterInside<Team extends Pick<TeamRow, 'id' | 'roles'>>(
    caller: Principal,
    teams: readonly Team[],
  ): Promise<Team[]> {
    if (isSession(caller)) return teams.filter(({ roles }) => roles !== null);
    const checks = teams.map(({ id }) => ({
      object: teamSeatIn(caller, { team_id: id })!,
      relation: 'active',
    }));
    const results = await authz.checkEach(caller, checks);
    return teams.filter((_, index) => results[index]);
  }

  async function seesAll(caller: Principal, organization_id: string): Promise<boolean> {
    const home = contextIn('organization', caller, { organization_id });
    if (home === null) throw absent('the request is in no organization');
    const results = await authz.check(caller, ['can_teams_read'], home);
    return (
      results.get('can_teams_read') === true ||
      (await guard.managesEveryTeam(caller, organization_id))
    );
  }

  const findTeamRow = (caller: Principal, { team_id: id, organization_id }: TeamParams) =>
    findTeam(pool, { id, organization_id }, caller.person);

  async function findInside(caller: Principal, params: TeamParams): Promise<TeamRow | null> {
    const team = await findTeamRow(caller, params);
    if (team === null) return null;
    const [inside] = await filterInside(caller, [team]);
    return inside ?? ((await guard.managesEveryTeam(caller, params.organization_id)) ? team : null);
  }

  return {
    async list(caller, organization_id) {
      const teams = await listTeams(pool, organization_id, caller.person);
      const inside = new Set(await filterInside(caller, teams));
      const viewed = teams.map((team) => ({ ...team, inside: inside.has(team) }));
      if (await seesAll(caller, organization_id)) return viewed;
      return viewed.filter((team) => team.inside);
    },
    async find(caller, params) {
      const team = await findTeamRow(caller, params);
      if (team === null) throw absent('no such team in the organization');
      const [inside] = await filterInside(caller, [team]);
      if (!inside && !(await seesAll(caller, params.organization_id)))
        throw absent('not in the team');
      return { ...team, inside: inside !== undefined };
    },
    async idsInside(caller, organization_id) {
      const teams = await listTeams(pool, organization_id, caller.person);
      const managesEvery = await guard.managesEveryTeam(caller, organization_id);
      const inside = managesEvery ? teams : await filterInside(caller, teams);
      return new Set(inside.map(({ id }) => id));
    },
    isInside: async (caller, params) => (await findInside(caller, params)) !== null,
    async requireInside(caller, params) {
      const team = await findInside(caller, params);
      if (team === null) throw absent('no such team, or not in it');
      return team;
    },
  };
}
