import { ConcurrentUpdate } from '../../authz/authz.ts';
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
import { isCovered } from './services.ts';
import { countTeams, insertTeam } from './store.ts';
import type { TeamFields } from './store.ts';

const MAX_TEAMS = 200;

/**
 * Creates a team and returns its id. If a session creates it, its person becomes the first
 * `team_admin`; a team created by another credential has no members.
 */
export function createTeamCreation({
  database,
  authz,
  spaces,
  keys,
}: Pick<OrganizationsDependencies, 'database' | 'authz' | 'spaces' | 'keys'>) {
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
    const team = { id, organization_id };
    const followers = await keys.changeForNewTeam(database.pool, team);
    await authz.change({
      ...authorityOf(caller, request),
      reason: 'team.create',
      // Writes the organization's scope, so that limits count the team and keys that follow all
      // teams include it.
      writes: [
        { kind: 'organization', id: organization_id },
        ...(creator ? [creator.scope] : []),
        ...followers.writes,
      ],
      objects: [...(creator ? slicesOf({ ...creator, team_id: id }) : []), ...followers.objects],
      targets: [{ type: 'team', id }],
      async work(transaction) {
        // Creating a key that follows all teams locks the organization's scope, so none can be
        // added after this read.
        const current = await keys.changeForNewTeam(transaction, team);
        if (!isCovered(current.writes, followers.writes)) throw new ConcurrentUpdate();
        if ((await countTeams(transaction, organization_id)) >= MAX_TEAMS)
          throw unprocessable(
            'limit_reached',
            `An organization can have at most ${MAX_TEAMS} teams. Delete one first.`,
          );
        if (!(await insertTeam(transaction, team, fields))) throw teamNameTaken();
        await spaces.addTeam(transaction, team);
        const seat = creator && { organization_id, team_id: id, membership_id: creator.id };
        if (seat) await addSeat(transaction, seat, [TEAM_ADMIN_ROLE]);
      },
      detail: () => ({ after: fields }),
    });
    return id;
  };
}
