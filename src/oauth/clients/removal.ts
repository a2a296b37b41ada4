import { setTimeout } from 'node:timers/promises';
import type { Authority } from '../../caller/actor.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { auditedClient } from './audited.ts';
import type { ClientsDependencies } from './dependencies.ts';
import { createSave, lockUnchanged } from './save.ts';
import { deleteClient, findClient, listConnections } from './store.ts';
import type { ClientId } from './store.ts';

// What is revoked before the response, and how long the response waits for it.
const MAX_REVOKED = 100;
const WAIT_MS = 2_000;

/** Deletes clients, and ends their connections. */
export function createRemoval(dependencies: ClientsDependencies) {
  const { database, connections, log } = dependencies;
  const save = createSave(dependencies);

  /**
   * Waits a moment for connections to be revoked or narrowed. Rows limit them already, so that a
   * failure is no error of the request: they are revoked in the background, and narrowed at their
   * next request.
   */
  async function endSoon(ending: Promise<void>): Promise<void> {
    const logged = ending.catch((error: unknown) =>
      log.warn({ err: error }, 'connections of an OAuth client are revoked or narrowed later'),
    );
    await Promise.race([logged, setTimeout(WAIT_MS, undefined, { ref: false })]);
  }

  return {
    endSoon,
    async remove(client: ClientId, authority: Authority): Promise<void> {
      const stored = await findClient(database.pool, client);
      if (stored === null) throw absent();
      const ended = await listConnections(database.pool, client.id, MAX_REVOKED);
      await save({
        ...{ client, authority, action: 'oauth_client.delete' as const },
        ...{ before: stored, after: null },
        async work(transaction) {
          await lockUnchanged(transaction, client, stored);
          await deleteClient(transaction, client.id);
        },
        detail: () => ({ before: auditedClient(stored) }),
      });
      await endSoon(connections.revoke(ended, { ...authority, basis: null }));
    },
  };
}
