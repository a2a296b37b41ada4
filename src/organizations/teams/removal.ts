import { systemAuthority } from '../../caller/actor.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { deleteTeamRoles, listTeamRoleIds } from './roles/store.ts';
import { teamRoles } from './roles/system.ts';
import { deleteSeats, someSeats } from './seats/store.ts';
import type { NamedSeat } from './seats/store.ts';
import { slicesOf } from './seats/tuples.ts';
import { listDeletedTeams, removeTeam } from './store.ts';
import type { TeamKey } from './store.ts';

// Each membership is a scope of its own, with a Write to OpenFGA: these many are through within the
// second that a change waits.
const BATCH = 20;
const MAX_TEAMS = 100;

type Dependencies = Pick<OrganizationsDependencies, 'database' | 'authz'>;

/** Creates `removeDeletedTeams`, which removes the seats, roles and rows of deleted teams. */
export function createTeamRemoval({ database, authz }: Dependencies) {
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
      work: (transaction) => deleteSeats(transaction, team.id, ids),
    });
  }

  async function removeRest(team: TeamKey): Promise<void> {
    const roles = await listTeamRoleIds(database.pool, { team_id: team.id });
    await authz.change({
      ...changeOf(team),
      writes: [{ kind: 'organization', id: team.organization_id }],
      objects: roles.map((id) => ({ object: teamRoles.objectOf(id) })),
      async work(transaction) {
        await deleteTeamRoles(transaction, roles);
        await removeTeam(transaction, team.id);
      },
    });
  }

  return async function removeDeletedTeams(): Promise<void> {
    for (const team of await listDeletedTeams(database.pool, MAX_TEAMS)) {
      for (;;) {
        const seats = await someSeats(database.pool, team.id, BATCH);
        if (seats.length === 0) break;
        await removeSeats(team, seats);
      }
      await removeRest(team);
    }
  };
}
