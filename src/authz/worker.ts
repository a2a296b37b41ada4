import type { Database } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Appliers } from './apply.ts';
import { dirtyScopes, readBacklog, sweepOutbox } from './store.ts';

const EVERY_MS = 1_000;
const SCOPES_A_ROUND = 200;
const APPLY_MS = 5_000;
const SWEEP_MS = 3_600_000;

/** Brings to OpenFGA what the request that changed it could not: a crash, an outage, a rush. */
export function createWorker(dependencies: { database: Database; appliers: Appliers; log: Log }) {
  const { database, appliers, log } = dependencies;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  let sweepAt = performance.now() + SWEEP_MS;

  async function work(): Promise<void> {
    try {
      const scopes = await dirtyScopes(database.pool, SCOPES_A_ROUND);
      await Promise.all(scopes.map((scope) => appliers.apply(scope, APPLY_MS)));
      if (performance.now() < sweepAt) return;
      sweepAt = performance.now() + SWEEP_MS;
      await sweepOutbox(database.pool);
    } catch (error) {
      log.warn({ err: error }, 'the outbox worker could not work');
    }
  }

  return {
    backlog: () => readBacklog(database.pool),
    start() {
      timer = setInterval(() => {
        round ??= work().finally(() => void (round = null));
      }, EVERY_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}
