import { systemAuthority } from '../../caller/actor.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { removeBindings } from '../credentials/bindings/store.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { deleteRoles, listRoleIdsOfTeam } from '../roles/store.ts';
import { teamRoles } from '../roles/system.ts';
import { deleteSeats, listDeletedSeatsOf, listSeatBatch } from './seats/store.ts';
import type { NamedSeat } from './seats/store.ts';
import { slicesOf } from './seats/tuples.ts';
import { removeTeam } from './store.ts';
import type { TeamKey } from './store.ts';

// Each membership is a scope of its own, which takes a Write to OpenFGA; this many are applied
// within the second for which a change waits.
const BATCH = 20;

type Dependencies = Pick<OrganizationsDependencies, 'database' | 'authz' | 'spaces'>;

/** Creates the functions that remove the seats, roles and rows of deleted teams. */
export function createTeamRemoval({ database, authz, spaces }: Dependencies) {
  const changeOf = ({ id }: Pick<TeamKey, 'id'>) => ({
    ...systemAuthority,
    reason: 'team.remove' as const,
    targets: [{ type: 'team', id }],
  });

  async function removeSeats(team: TeamKey, seats: readonly NamedSeat[]): Promise<void> {
    const ids = seats.map((seat) => seat.membership_id);
    const [first, ...rest] = ids.map((id): ScopeRef => ({ kind: 'membership', id }));
    await authz.change({
      ...changeOf(team),
      writes: [first!, ...rest],
      objects: seats.flatMap(slicesOf),
      async work(transaction) {
        await deleteSeats(transaction, team.id, ids);
        const people = seats.map(({ account_id }) => account_id);
        await removeBindings(transaction, team.id, people);
      },
    });
  }

  async function removeRest(team: TeamKey): Promise<void> {
    const roles = await listRoleIdsOfTeam(database.pool, team.id);
    await authz.change({
      ...changeOf(team),
      writes: [{ kind: 'organization', id: team.organization_id }],
      objects: roles.map((id) => ({ object: teamRoles.objectOf(id) })),
      async work(transaction) {
        await deleteRoles(transaction, teamRoles, team.organization_id, roles);
        await spaces.removeTeam(transaction, team.id);
        await removeTeam(transaction, team.id);
      },
    });
  }

  return {
    /** Removes everything of a deleted team. */
    async removeTeam(team: TeamKey): Promise<void> {
      for (;;) {
        const seats = await listSeatBatch(database.pool, team.id, BATCH);
        if (seats.length === 0) break;
        await removeSeats(team, seats);
      }
      while (await spaces.removeItems(database.pool, { team_id: team.id }));
      await removeRest(team);
    },
    /**
     * Ends a member's seats in deleted teams now: until then, the capabilities of the roles there
     * still count in OpenFGA.
     */
    async removeDeletedSeats(membership_id: string): Promise<void> {
      for (const seat of await listDeletedSeatsOf(database.pool, membership_id))
        await removeSeats({ ...seat, id: seat.team_id }, [seat]);
    },
  };
}
