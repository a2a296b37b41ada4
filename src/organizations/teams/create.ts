import { authorityOf } from '../../caller/actor.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { findMember } from '../members/store.ts';
import { teamNameTaken } from './refusals.ts';
import { TEAM_ADMIN_ROLE } from './roles/system.ts';
import { addSeat } from './seats/seats.ts';
import { slicesOf } from './seats/tuples.ts';
import { countTeams, insertTeam } from './store.ts';
import type { TeamFields } from './store.ts';

const MAX_TEAMS = 200;

/**
 * Creates a team and returns its id. A person who creates one in a session becomes its first
 * `team_admin`; a credential gives its person nothing.
 */
export function createTeamCreation({
  database,
  authz,
}: Pick<OrganizationsDependencies, 'database' | 'authz'>) {
  return async function create(
    caller: Principal,
    organization_id: string,
    fields: TeamFields,
    request: RequestFacts,
  ): Promise<string> {
    const id = newId();
    const creator = isSession(caller)
      ? await findMember(database.pool, { organization_id, account_id: caller.person })
      : null;
    await authz.change({
      ...authorityOf(caller, request),
      reason: 'team.create',
      // The organization, so that a key that follows all teams, or a limit, misses none.
      writes: [{ kind: 'organization', id: organization_id }, ...(creator ? [creator.scope] : [])],
      objects: creator ? slicesOf({ ...creator, team_id: id }) : [],
      targets: [{ type: 'team', id }],
      async work(transaction) {
        if ((await countTeams(transaction, organization_id)) >= MAX_TEAMS)
          throw unprocessable('limit_reached', `An organization has ${MAX_TEAMS} teams at most.`);
        if (!(await insertTeam(transaction, { id, organization_id }, fields)))
          throw teamNameTaken();
        const seat = creator && { organization_id, team_id: id, membership_id: creator.id };
        if (seat) await addSeat(transaction, seat, [TEAM_ADMIN_ROLE]);
      },
      detail: () => ({ after: fields }),
    });
    return id;
  };
}
