import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Save } from '../../caller/once.ts';
import { newId } from '../../platform/ids.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { changeForNewTeam, isCovered } from '../credentials/team-changes.ts';
import type { MemberRow } from '../members/store.ts';
import { teamNameTaken } from './refusals.ts';
import { TEAM_ADMIN_ROLE } from '../roles/system.ts';
import { addSeat } from './seats/seats.ts';
import { slicesOf } from './seats/tuples.ts';
import { countTeams, insertTeam } from './store.ts';
import type { TeamFields, TeamKey } from './store.ts';

const MAX_TEAMS = 200;

/** Who creates a team, and what else happens in the same transaction. */
interface Creation {
  /** Becomes the first `team_admin`; null: the team has no members at first. */
  creator: MemberRow | null;
  also?(transaction: Transaction, team: TeamKey): Promise<void>;
  save?: Save<NewTeam>;
}

export type NewTeam = Pick<TeamKey, 'id'>;

/** Creates the function that creates a team and returns its id. */
export function createTeamCreation({
  database,
  authz,
  spaces,
}: Pick<OrganizationsDependencies, 'database' | 'authz' | 'spaces'>) {
  return async function create(
    authority: Authority,
    organization_id: string,
    fields: TeamFields,
    { creator, also, save }: Creation,
  ): Promise<string> {
    const id = newId();
    const team = { id, organization_id };
    const followers = await changeForNewTeam(database.pool, team);
    await authz.change({
      ...authority,
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
        const current = await changeForNewTeam(transaction, team);
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
        await also?.(transaction, team);
        await save?.(transaction, { id });
      },
      detail: () => ({ after: fields }),
    });
    return id;
  };
}
