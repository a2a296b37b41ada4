import { systemAuthority } from '../../caller/actor.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { listHolders, replaceDeletedRole } from '../members/store.ts';
import { membershipObject } from '../members/tuples.ts';
import { changeOf } from './change.ts';
import { deleteRoles } from './store.ts';
import type { RoleKey } from './store.ts';

// Each membership is a scope of its own, which takes a Write to OpenFGA; this many are applied
// within the second for which a change waits.
const BATCH = 20;

/**
 * Creates a function that removes a deleted role: its holders get the role that replaces it, which
 * grants the same, then its row is deleted.
 */
export const createRoleRemoval = ({
  database: { pool },
  authz,
}: Pick<OrganizationsDependencies, 'database' | 'authz'>) =>
  async function removeRole(role: RoleKey): Promise<void> {
    for (;;) {
      const members = await listHolders(pool, role, BATCH);
      const ids = members.map(({ id }) => id);
      const [first, ...rest] = ids.map((id): ScopeRef => ({ kind: 'membership', id }));
      if (first === undefined) break;
      await authz.change({
        ...changeOf(role, systemAuthority),
        reason: 'role.remove',
        writes: [first, ...rest],
        objects: members.map((member) => ({ object: membershipObject(member) })),
        work: (transaction) => replaceDeletedRole(transaction, ids, role.id),
      });
    }
    await authz.change({
      ...changeOf(role, systemAuthority),
      reason: 'role.remove',
      work: (transaction) => deleteRoles(transaction, role.organization_id, [role.id]),
    });
  };
