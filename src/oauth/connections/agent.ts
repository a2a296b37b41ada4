import type { Authority } from '../../caller/actor.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { audited } from './audited.ts';
import { changeOf } from './change.ts';
import type { ChangeDependencies } from './dependencies.ts';
import { updateDefaultAgent } from './store.ts';
import type { ConnectionRow } from './store.ts';

/** Creates the function that assigns the default agent of a connection; null clears it (K3). */
export function createAgentAssignment({ database, authz }: ChangeDependencies) {
  return async function assignAgent(
    stored: ConnectionRow,
    default_agent_id: string | null,
    authority: Authority,
  ): Promise<void> {
    const { requireCovered, ...change } = await changeOf(database.pool, stored);
    await authz.change({
      ...{ ...change, ...authority, reason: 'connection.update', creates: [] },
      async work(transaction) {
        await requireCovered(transaction);
        if (!(await updateDefaultAgent(transaction, stored.id, default_agent_id)))
          throw absent('the connection was revoked concurrently');
      },
      detail: () => ({
        before: audited(stored),
        after: audited({ ...stored, default_agent_id }),
      }),
    });
  };
}
