import { systemAuthority } from '../../caller/actor.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { deleteMemberships, someMemberships } from '../members/store.ts';
import type { MembershipRow } from '../members/store.ts';
import { membershipObject } from '../members/tuples.ts';
import { deleteRoles, listCustomRoles } from '../roles/store.ts';
import { listDeleted, removeOrganization } from '../store.ts';

export interface Remover {
  /** Starts a run soon, or another one after that which is running. */
  removeSoon(): void;
  start(): void;
  /** Resolves when no run is left. */
  stop(): Promise<void>;
}

// Each membership is a scope of its own, with a Write to OpenFGA: these many are through within the
// second that a change waits, so that other changes never queue behind a large organization.
const BATCH = 20;
const MAX_ORGANIZATIONS = 100;
// Finds what a gateway that was stopped left behind.
const EVERY_MS = 60_000;

type Dependencies = Pick<OrganizationsDependencies, 'database' | 'authz' | 'log'>;

/**
 * Removes the memberships, roles and rows of deleted organizations, in the background: they give
 * nothing any more. Safe to run on every instance.
 */
export function createRemover({ database, authz, log }: Dependencies): Remover {
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> | null = null;
  let isDue = false;

  async function removeMembers(memberships: readonly MembershipRow[]): Promise<void> {
    const [first, ...rest] = memberships.map(({ id }): ScopeRef => ({ kind: 'membership', id }));
    await authz.change({
      ...systemAuthority,
      reason: 'organization.remove',
      writes: [first!, ...rest],
      objects: memberships.map((one) => ({ object: membershipObject(one) })),
      targets: [{ type: 'organization', id: memberships[0]!.organization_id }],
      work: (transaction) =>
        deleteMemberships(
          transaction,
          memberships.map(({ id }) => id),
        ),
    });
  }

  async function removeRest(id: string): Promise<void> {
    const roles = (await listCustomRoles(database.pool, id)).map((role) => role.id);
    await authz.change({
      ...systemAuthority,
      reason: 'organization.remove',
      writes: [{ kind: 'organization', id }],
      objects: roles.map((role) => ({ object: `org_role:${role}` })),
      targets: [{ type: 'organization', id }],
      async work(transaction) {
        await deleteRoles(transaction, id, roles);
        await removeOrganization(transaction, id);
      },
    });
  }

  async function removeAll(): Promise<void> {
    for (const id of await listDeleted(database.pool, MAX_ORGANIZATIONS)) {
      for (;;) {
        const memberships = await someMemberships(database.pool, id, BATCH);
        if (memberships.length === 0) break;
        await removeMembers(memberships);
      }
      await removeRest(id);
    }
  }

  function removeSoon(): void {
    isDue = true;
    run ??= (async () => {
      while (isDue) {
        isDue = false;
        await removeAll().catch((error: unknown) =>
          log.warn({ err: error }, 'deleted organizations are removed later'),
        );
      }
      run = null;
    })();
  }

  return {
    removeSoon,
    start() {
      timer ??= setInterval(removeSoon, EVERY_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await run;
    },
  };
}
