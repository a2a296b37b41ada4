import type { Queryable, Database } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Appliers } from './apply.ts';
import { listDirtyScopes, readBacklog } from './store.ts';

const INTERVAL_MS = 1_000;
const SCOPES_PER_ROUND = 200;
const APPLY_MS = 5_000;
const SWEEP_MS = 3_600_000;

export interface WorkerDependencies {
  database: Database;
  appliers: Appliers;
  log: Log;
  sweepMs?: number;
}

/** Deletes old applied parts except each scope's last, which fences and the store watch need. */
export function sweepOutbox(db: Queryable): Promise<void> {
  const superseded = { table: 'authz_outbox', column: 'superseded_at', age: '90 days' };
  return sweepOlder(db, superseded);
}

/** Deletes records of Writes that OpenFGA may never have received. */
const sweepUnfenced = (db: Queryable): Promise<void> =>
  sweepOlder(db, { table: 'authz_unfenced_write', column: 'created_at', age: '90 days' });

/** Applies changes that their own request could not apply because of a crash, an outage or load. */
export function createWorker({ database, appliers, log, sweepMs = SWEEP_MS }: WorkerDependencies) {
  let timer: NodeJS.Timeout | undefined;
  let sweepTimer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  let sweep: Promise<void> | null = null;

  async function work(): Promise<void> {
    try {
      const scopes = await listDirtyScopes(database.pool, SCOPES_PER_ROUND);
      await Promise.all(scopes.map((scope) => appliers.apply(scope, APPLY_MS)));
    } catch (error) {
      log.warn({ err: error }, 'outbox worker failed; it will retry');
    }
  }

  /** Sweeps on its own timer, so that no change waits for it, with jitter between processes. */
  function sweepLater(): void {
    sweepTimer = setTimeout(
      () => {
        sweep = sweepOutbox(database.pool)
          .then(() => sweepUnfenced(database.pool))
          .catch((error: unknown) => log.warn({ err: error }, 'outbox sweep failed'))
          .then(sweepLater);
      },
      sweepMs * (0.9 + 0.2 * Math.random()),
    ).unref();
  }

  return {
    backlog: () => readBacklog(database.pool),
    start() {
      timer = setInterval(() => {
        round ??= work().finally(() => void (round = null));
      }, INTERVAL_MS);
      timer.unref();
      sweepLater();
    },
    async stop() {
      clearInterval(timer);
      clearTimeout(sweepTimer);
      await Promise.all([round, sweep]);
      clearTimeout(sweepTimer);
    },
  };
}
