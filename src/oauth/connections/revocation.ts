import { systemAuthority } from '../../caller/actor.ts';
import type { Authority } from '../../caller/actor.ts';
import { audited } from './audited.ts';
import { changeOf, joinChanges } from './change.ts';
import type { ChangeDependencies } from './dependencies.ts';
import { findConnections, listOfClient, listUnusable, revokeConnections } from './store.ts';

// Each account and membership is a scope of its own, which takes a Write to OpenFGA; this many are
// applied within the second for which a change waits.
const BATCH = 20;

/** Rolls a change back that would change nothing, but be audited and make caches read again. */
class AlreadyRevoked extends Error {}

/** Creates the operations that revoke connections, each batch in one change of authority. */
export function createRevocation({ database, authz }: ChangeDependencies) {
  async function revokeBatch(ids: readonly string[], authority: Authority): Promise<void> {
    const stored = await findConnections(database.pool, ids);
    const changes = await Promise.all(stored.map((row) => changeOf(database.pool, row)));
    const { writes, requireCovered, ...change } = joinChanges(changes);
    const [first, ...rest] = writes;
    if (first === undefined) return;
    const revoking = authz.change({
      ...{ ...change, ...authority, reason: 'connection.revoke', creates: [] },
      writes: [first, ...rest],
      async work(transaction) {
        await requireCovered(transaction);
        const revoked = new Set(await revokeConnections(transaction, ids));
        if (revoked.size === 0) throw new AlreadyRevoked();
        return stored.filter(({ id }) => revoked.has(id));
      },
      detail: (revoked) => ({ before: revoked.map((row) => ({ id: row.id, ...audited(row) })) }),
    });
    await revoking.catch((error: unknown) => {
      if (!(error instanceof AlreadyRevoked)) throw error;
    });
  }

  return {
    async revoke(ids: readonly string[], authority: Authority): Promise<void> {
      for (let start = 0; start < ids.length; start += BATCH)
        await revokeBatch(ids.slice(start, start + BATCH), authority);
    },
    /** Revokes what was never used, or has lost its client. */
    async revokeUnusable(): Promise<void> {
      for (;;) {
        const ids = await listUnusable(database.pool, BATCH);
        if (ids.length === 0) return;
        await revokeBatch(ids, systemAuthority);
      }
    },
    async revokeOfClient(
      client_id: string,
      { only_own_authority = false }: { only_own_authority?: boolean } = {},
    ): Promise<void> {
      for (;;) {
        const ids = await listOfClient(database.pool, { client_id, only_own_authority }, BATCH);
        if (ids.length === 0) return;
        await revokeBatch(ids, systemAuthority);
      }
    },
  };
}
