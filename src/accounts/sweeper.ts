import type { Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { sweepSessions } from './sessions/store.ts';
import { sweepAccounts } from './store.ts';

const EVERY_MS = 3_600_000;

/** Removes, once an hour, what has expired; every instance may do it. */
export function createSweeper({ database, log }: { database: Database; log: Log }) {
  let timer: NodeJS.Timeout | undefined;
  const sweep = async () => {
    try {
      await sweepAccounts(database.pool);
      await sweepSessions(database.pool);
    } catch (error) {
      log.warn({ err: error }, 'expired rows stay for another hour');
    }
  };
  return {
    start() {
      timer ??= setInterval(() => void sweep(), EVERY_MS).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
