import { systemAuthority } from '../../../caller/actor.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import { listSeatsWithRole, replaceDeletedRole } from '../seats/store.ts';
import { seatObject } from '../seats/tuples.ts';
import { teamRoleChangeOf } from './change.ts';
import { deleteTeamRoles } from './store.ts';

// Each membership is a scope of its own, which takes a Write to OpenFGA; this many are applied
// within the second for which a change waits.
const BATCH = 20;

/**
 * Creates a function that removes a deleted team role: its holders get the role that replaces it,
 * which grants the same, then its row is deleted.
 */
export const createTeamRoleRemoval = ({
  database: { pool },
  authz,
}: Pick<OrganizationsDependencies, 'database' | 'authz'>) =>
  async function removeTeamRole(role: { id: string; organization_id: string }): Promise<void> {
    const change = teamRoleChangeOf({ ...role, team_id: null }, systemAuthority);
    for (;;) {
      const seats = await listSeatsWithRole(pool, role, BATCH);
      const members = new Set(seats.map(({ membership_id }) => membership_id));
      const [first, ...rest] = [...members].map((id): ScopeRef => ({ kind: 'membership', id }));
      if (first === undefined) break;
      await authz.change({
        ...change,
        reason: 'team_role.remove',
        writes: [first, ...rest],
        objects: seats.map((seat) => ({ object: seatObject(seat) })),
        work: (transaction) => replaceDeletedRole(transaction, seats, role.id),
      });
    }
    await authz.change({
      ...change,
      reason: 'team_role.remove',
      work: (transaction) => deleteTeamRoles(transaction, [role.id]),
    });
  };
