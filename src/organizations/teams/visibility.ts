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

/** Which teams of an organization a caller sees; to others they are absent. */
export interface TeamVisibility {
  /** Returns the teams whose record the caller sees, oldest first. */
  list(caller: Principal, organization_id: string): Promise<readonly TeamRow[]>;
  /** Returns a team whose record the caller sees; throws 404 for all others. */
  find(caller: Principal, params: TeamParams): Promise<TeamRow>;
  /** Throws 404 unless the caller is in the team, or may manage every team. */
  requireInside(caller: Principal, params: TeamParams): Promise<void>;
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

  /** A person is in the teams with a seat of theirs, a credential in those where it is active. */
  async function insideOf<Team extends Pick<TeamRow, 'id' | 'roles'>>(
    caller: Principal,
    teams: readonly Team[],
  ): Promise<Team[]> {
    if (isSession(caller)) return teams.filter(({ roles }) => roles !== null);
    const checks = teams.map(({ id }) => ({
      object: teamSeatIn(caller, { team_id: id })!,
      relation: 'active',
    }));
    const answers = await authz.checkEach(caller, checks);
    return teams.filter((_, index) => answers[index]);
  }

  async function seesAll(caller: Principal, organization_id: string): Promise<boolean> {
    const home = contextIn('organization', caller, { organization_id });
    if (home === null) throw absent('the request is in no organization');
    const answers = await authz.check(caller, ['can_teams_read'], home);
    return (
      answers.get('can_teams_read') === true ||
      (await guard.managesEveryTeam(caller, organization_id))
    );
  }

  async function read(caller: Principal, { team_id: id, organization_id }: TeamParams) {
    const team = await findTeam(pool, { id, organization_id }, caller.person);
    if (team === null) throw absent('no such team in the organization');
    return team;
  }

  return {
    async list(caller, organization_id) {
      const teams = await listTeams(pool, organization_id, caller.person);
      return (await seesAll(caller, organization_id)) ? teams : insideOf(caller, teams);
    },
    async find(caller, params) {
      const team = await read(caller, params);
      const [inside] = await insideOf(caller, [team]);
      if (!inside && !(await seesAll(caller, params.organization_id)))
        throw absent('not in the team');
      return team;
    },
    async requireInside(caller, params) {
      const [inside] = await insideOf(caller, [await read(caller, params)]);
      if (!inside && !(await guard.managesEveryTeam(caller, params.organization_id)))
        throw absent('not in the team');
    },
  };
}
