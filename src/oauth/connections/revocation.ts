import { systemAuthority } from '../../caller/actor.ts';
import type { Authority } from '../../caller/actor.ts';
import { audited } from './audited.ts';
import { changeEach, changeOf } from './change.ts';
import type { ChangeDependencies } from './dependencies.ts';
import { findConnection, listOfClient, listUnusable, revokeConnection } from './store.ts';

/** Rolls a change back that would change nothing, but be audited and make caches read again. */
class AlreadyRevoked extends Error {}

/** The audit action of a revocation. */
export type RevocationReason = 'connection.revoke' | 'connection.replay';

/** Creates the operations that revoke connections. */
export function createRevocation({ database: { pool }, authz }: ChangeDependencies) {
  async function revokeOne(
    id: string,
    authority: Authority,
    reason: RevocationReason = 'connection.revoke',
  ): Promise<void> {
    const stored = await findConnection(pool, id);
    if (stored === null) return;
    const { requireCovered, ...change } = await changeOf(pool, stored);
    const revoking = authz.change({
      ...{ ...change, ...authority, reason, creates: [] },
      async work(transaction) {
        await requireCovered(transaction);
        if (!(await revokeConnection(transaction, id))) throw new AlreadyRevoked();
      },
      detail: () => ({ before: audited(stored) }),
    });
    await revoking.catch((error: unknown) => {
      if (!(error instanceof AlreadyRevoked)) throw error;
    });
  }
  const revokeAsSystem = (id: string) => revokeOne(id, systemAuthority);

  return {
    async revoke(
      ids: readonly string[],
      authority: Authority,
      reason?: RevocationReason,
    ): Promise<void> {
      for (const id of ids) await revokeOne(id, authority, reason);
    },
    /** Revokes what no longer works, or was never used. */
    revokeUnusable: () => changeEach((limit) => listUnusable(pool, limit), revokeAsSystem),
    revokeOfClient: (
      client_id: string,
      { only_own_authority = false }: { only_own_authority?: boolean } = {},
    ) =>
      changeEach(
        (limit) => listOfClient(pool, { client_id, only_own_authority }, limit),
        revokeAsSystem,
      ),
  };
}
