import { systemAuthority } from '../../caller/actor.ts';
import { isUuid } from '../../platform/ids.ts';
import type { PlanName } from '../../platform/config/plans.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { findOrganizationState, listOrganizations, setPlan, setStatus } from '../store.ts';
import type { OrganizationOverview } from '../store.ts';

export interface Operation {
  /** False if the value was already set. */
  changed: boolean;
}

const PAGE = 200;
const REASONS = { active: 'organization.activate', suspended: 'organization.suspend' } as const;

/** Creates the operator's operations on organizations. Changes return null for an unknown id. */
export function createOperations({
  database,
  authz,
}: Pick<OrganizationsDependencies, 'database' | 'authz'>) {
  const { pool } = database;

  /** Returns an organization that is not deleted. */
  const find = async (id: string) => (isUuid(id) ? findOrganizationState(pool, id) : null);
  const changeOf = (id: string) => ({
    ...systemAuthority,
    writes: [{ kind: 'organization', id }] as const,
    targets: [{ type: 'organization', id }],
  });

  return {
    /** Yields all organizations, oldest first. */
    async *list(): AsyncGenerator<OrganizationOverview> {
      let after: string | null = null;
      for (;;) {
        const page: readonly OrganizationOverview[] = await listOrganizations(pool, after, PAGE);
        yield* page;
        if (page.length < PAGE) return;
        after = page.at(-1)!.id;
      }
    },
    async setPlan(id: string, plan: PlanName): Promise<Operation | null> {
      const found = await find(id);
      if (found === null) return null;
      if (found.plan === plan) return { changed: false };
      await authz.edit({
        ...changeOf(found.id),
        reason: 'organization.plan',
        work: (transaction) => setPlan(transaction, { id: found.id, plan }),
        detail: () => ({ before: { plan: found.plan }, after: { plan } }),
      });
      return { changed: true };
    },
    /** Suspends or reactivates an organization, from the next request on, on every gateway. */
    async setStatus(id: string, status: 'active' | 'suspended'): Promise<Operation | null> {
      const found = await find(id);
      if (found === null) return null;
      if (found.status === status) return { changed: false };
      // Changes no tuple, only the scope's revision, so that concurrent changes are decided again.
      await authz.change({
        ...changeOf(found.id),
        objects: [],
        reason: REASONS[status],
        work: (transaction) => setStatus(transaction, { id: found.id, status }),
      });
      return { changed: true };
    },
  };
}
export type OrganizationOperations = ReturnType<typeof createOperations>;
