import type { Database } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Engine } from './client.ts';
import { epochAgrees, findDeployment } from './deployment.ts';
import { readFence } from './fence.ts';
import { isAtOrAfter, listLastAppliedParts } from './store.ts';

const INTERVAL_MS = 60_000;
/** Shorter interval while decisions are refused, so that they resume soon after a repair. */
const RECOVERY_INTERVAL_MS = 1_000;
const NOT_READY = 'The authorization service is not ready.';
const ANY_CHECK = { subject: 'user:nobody', relation: 'can_see', object: 'account:nobody' };

/**
 * Watches whether the store still matches this database: one restored from a backup would answer
 * with old tuples. The epoch reveals a foreign or empty store, and the fences of the changes
 * applied last reveal an older one.
 */
export function createStoreWatch(dependencies: {
  database: Database;
  engine: Engine;
  /** Called when the store stops matching the database, or matches it again. */
  onChange(): void;
  log: Log;
}) {
  const { database, engine, onChange, log } = dependencies;
  // No decision is made before the first comparison.
  let mismatch: string | null = 'the store has not been compared with the database yet';
  let generation = {};
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function compare(): Promise<string | null> {
    // Any check will do: it fails if the store does not have the model.
    await engine.batchCheck([ANY_CHECK]);
    const deployment = await findDeployment(database.pool);
    if (!deployment || !(await epochAgrees(engine, deployment.epoch)))
      return 'the store has the epoch of another database';
    const last = await listLastAppliedParts(database.pool);
    const agreements = await Promise.all(
      last.map(async (part) => isAtOrAfter(database.pool, part, await readFence(engine, part))),
    );
    return agreements.every(Boolean) ? null : 'the store lacks the last change';
  }

  /** Compares now; rejects if OpenFGA or the database does not respond. */
  async function compareNow(): Promise<void> {
    const found = await compare();
    if (found !== null && found !== mismatch)
      log.error(
        { store: found },
        'OpenFGA does not match the database; decisions are refused. Run: toolgate drift --repair',
      );
    if (found !== mismatch) {
      generation = {};
      onChange();
    }
    mismatch = found;
  }

  /**
   * Throws `unavailable` while store and database do not match: one was restored or emptied. Returns
   * an object that is the same until a comparison has another result.
   */
  function requireMatch(): object {
    if (mismatch !== null) throw unavailable(`OpenFGA: ${mismatch}`, undefined, NOT_READY);
    return generation;
  }

  function scheduleComparison(): void {
    if (isStopped) return;
    timer = setTimeout(
      () => {
        compareNow()
          .catch((error: unknown) =>
            log.warn({ err: error }, 'could not compare OpenFGA with the database'),
          )
          .finally(scheduleComparison);
      },
      mismatch === null ? INTERVAL_MS : RECOVERY_INTERVAL_MS,
    ).unref();
  }

  return {
    requireMatch,
    /** Compares now, and throws `unavailable` unless store and database match. */
    async requireStore(): Promise<void> {
      await compareNow();
      requireMatch();
    },
    start: scheduleComparison,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
