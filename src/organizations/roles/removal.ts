import { systemAuthority } from '../../caller/actor.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { changeOf } from './change.ts';
import type { RoleHolders } from './holders.ts';
import { deleteRoles } from './store.ts';
import type { RoleKey } from './store.ts';

// Each membership is a scope of its own, which takes a Write to OpenFGA; this many are applied
// within the second for which a change waits.
const BATCH = 20;

/**
 * Creates a function that removes a deleted role: its holders get the role that replaces it, which
 * grants the same, then its row is deleted.
 */
export const createRoleRemoval = (
  { kind, list }: RoleHolders,
  { database: { pool }, authz }: Pick<OrganizationsDependencies, 'database' | 'authz'>,
) =>
  async function removeRole(role: RoleKey): Promise<void> {
    const change = changeOf(kind, role, systemAuthority);
    for (;;) {
      const { memberships, objects, replace } = await list(pool, role, BATCH);
      const [first, ...rest] = memberships.map((id): ScopeRef => ({ kind: 'membership', id }));
      if (first === undefined) break;
      await authz.change({
        ...change,
        reason: kind.actions.remove,
        writes: [first, ...rest],
        objects: objects.map((object) => ({ object })),
        work: replace,
      });
    }
    await authz.change({
      ...change,
      reason: kind.actions.remove,
      work: (transaction) => deleteRoles(transaction, kind, role.organization_id, [role.id]),
    });
  };
