import type { Queryable } from '../../platform/postgres/database.ts';
import type { Log } from '../../platform/observability/log.ts';
import { recordHeartbeat, removeInstance, preparePartitions, sweepCalls } from '../ledger/store.ts';

export interface InstancesDependencies {
  pool: Queryable;
  log: Log;
  /** New for each process. */
  id: string;
}

const BEAT_MS = 5_000;
// Partitions are created two months ahead; hourly runs leave many retries before one is missing.
const HEARTBEATS_PER_CLEANUP = 720;

/** Counts, by their heartbeats, the gateways that share the limits while Redis is unavailable. */
export function createInstances({ pool, log, id }: InstancesDependencies) {
  let live = 1;
  let heartbeatsToCleanup = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | null = null;
  let cleanup: Promise<void> | null = null;

  async function cleanUp(): Promise<void> {
    try {
      await preparePartitions(pool);
      await sweepCalls(pool);
      heartbeatsToCleanup = HEARTBEATS_PER_CLEANUP;
    } catch (error) {
      log.warn({ err: error }, 'sweep of old calls failed');
    }
  }
  async function work(): Promise<void> {
    try {
      live = await recordHeartbeat(pool, id);
    } catch (error) {
      log.warn({ err: error }, 'instance heartbeat failed');
      return;
    }
    heartbeatsToCleanup -= 1;
    if (heartbeatsToCleanup > 0) return;
    // Runs in parallel: a long sweep must not delay heartbeats, or this gateway would appear dead.
    cleanup ??= cleanUp().finally(() => {
      cleanup = null;
    });
  }
  const sendHeartbeat = () => {
    sending ??= work().finally(() => {
      sending = null;
    });
  };

  return {
    /** Returns the number of live gateways at the last heartbeat, including this one. */
    liveCount: () => live,
    start() {
      sendHeartbeat();
      timer ??= setInterval(sendHeartbeat, BEAT_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await Promise.all([sending, cleanup]);
      await removeInstance(pool, id).catch((error: unknown) =>
        log.debug({ err: error }, 'instance could not be unregistered'),
      );
    },
  };
}
