import type { Audit } from '../audit/audit.ts';
import type { Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { sweepSessions } from './sessions/store.ts';
import { sweepAccounts } from './store.ts';

const EVERY_MS = 3_600_000;

export interface SweeperDependencies {
  database: Database;
  audit: Pick<Audit, 'sweep'>;
  log: Log;
}

/** Removes, once an hour, what has expired; every instance may do it. */
export function createSweeper({ database, audit, log }: SweeperDependencies) {
  let timer: NodeJS.Timeout | undefined;
  const sweep = async () => {
    try {
      await sweepAccounts(database.pool);
      await sweepSessions(database.pool);
      await audit.sweep(database.pool);
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
