import { ConcurrentUpdate, createRetry } from '../../../authz/authz.ts';
import { systemAuthority } from '../../../caller/actor.ts';
import { audited } from '../audited.ts';
import { changeEach, changeOf } from '../change.ts';
import type { ChangeDependencies } from '../dependencies.ts';
import { bindToTeams } from '../store.ts';
import { findWider, listWider } from './store.ts';

const RETRY_MS = 10_000;

/** Creates the operations that take from connections the teams that their client has lost. */
export function createNarrowing({ database: { pool }, authz }: ChangeDependencies) {
  const retry = createRetry();

  async function narrowOnce(id: string): Promise<void> {
    const stored = await findWider(pool, id);
    if (stored === null) return;
    const { kept_team_ids, ...before } = stored;
    const after = { ...before, follows_teams: false, team_ids: kept_team_ids };
    const { requireCovered: _, ...change } = await changeOf(pool, before, after);
    await authz.change({
      ...{ ...change, ...systemAuthority, reason: 'connection.update', creates: [] },
      async work(transaction) {
        const current = await findWider(transaction, id);
        // Both were parsed by one schema, so their fields are in the same order.
        if (JSON.stringify(current) !== JSON.stringify(stored)) throw new ConcurrentUpdate();
        await bindToTeams(transaction, after);
      },
      detail: () => ({ before: audited(before), after: audited(after) }),
    });
  }

  /**
   * Narrows for good, as a revocation is: if the client gets a team back, its connections do not. A
   * connection that followed its person’s teams is bound to those that the person has joined, since
   * it was active in no other.
   */
  const narrow = (id: string): Promise<void> =>
    retry({
      ...{ attempt: () => narrowOnce(id), retry: () => narrowOnce(id), contended: null },
      until: performance.now() + RETRY_MS,
    });

  return {
    narrow,
    narrowOfClient: (client_id: string): Promise<void> =>
      changeEach((limit) => listWider(pool, client_id, limit), narrow),
  };
}
