import type { Authority } from '../../caller/actor.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { audited } from './audited.ts';
import { changeOf } from './change.ts';
import type { ChangeDependencies } from './dependencies.ts';
import { findConnection, updateFields } from './store.ts';
import type { ConnectionFields, ConnectionRow } from './store.ts';

/**
 * Creates the function that changes the default agent of a connection (null clears it, K3), how it
 * lists its tools, and from where and when it works.
 */
export function createFieldChange({ database, authz }: ChangeDependencies) {
  return async function changeFields(
    { id }: ConnectionRow,
    edit: Partial<ConnectionFields>,
    authority: Authority,
  ): Promise<void> {
    const stored = await findConnection(database.pool, id);
    if (stored === null) throw revoked();
    const { requireCovered, ...change } = await changeOf(database.pool, stored);
    await authz.change({
      ...{ ...change, ...authority, reason: 'connection.update', creates: [] },
      async work(transaction) {
        await requireCovered(transaction);
        const before = await findConnection(transaction, id);
        const after = before && (await updateFields(transaction, id, edit));
        if (before === null || after === null) throw revoked();
        return { before, after };
      },
      detail: ({ before, after }) => ({ before: audited(before), after: audited(after) }),
    });
  };
}

const revoked = () => absent('the connection was revoked concurrently');
