import type { Database } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Engine } from './client.ts';
import { epochAgrees } from './deployment.ts';
import { readFence } from './fence.ts';
import { findDeployment, isAtOrAfter, lastAppliedParts } from './store.ts';

/** Whether the store still holds what this database put there. */
export interface StoreWatch {
  /** Compares now; rejects when the servers cannot be asked. */
  look(): Promise<void>;
  /** Throws `unavailable` while the two disagree: one of them was restored or emptied. */
  require(): void;
  start(): void;
  stop(): void;
}

const EVERY_MS = 60_000;
/** While decisions are closed for it: what was mended, or is back, opens them soon. */
const SOON_MS = 1_000;
const ANY_QUESTION = { subject: 'user:nobody', relation: 'can_see', object: 'account:nobody' };

/**
 * A store restored from a backup would answer with yesterday's tuples. Its epoch tells a foreign or
 * empty one; the fences of the changes applied last tell one that is older than they are.
 */
export function createStoreWatch(dependencies: {
  database: Database;
  engine: Engine;
  /** The store is another one than it was taken for, or the right one again. */
  turned(): void;
  log: Log;
}): StoreWatch {
  const { database, engine, turned, log } = dependencies;
  // Of a store that was never compared nothing is known, so nothing is decided.
  let disagreement: string | null = 'not compared yet';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function compare(): Promise<string | null> {
    // Any question will do: a model the store does not have answers none.
    await engine.ask([ANY_QUESTION]);
    const deployment = await findDeployment(database.pool);
    if (!deployment || !(await epochAgrees(engine, deployment.epoch))) return 'another epoch';
    const last = await lastAppliedParts(database.pool);
    const held = await Promise.all(
      last.map(async (part) => isAtOrAfter(database.pool, part, await readFence(engine, part))),
    );
    return held.every(Boolean) ? null : 'without the last change';
  }

  async function look(): Promise<void> {
    const found = await compare();
    if (found !== null && found !== disagreement)
      log.error({ store: found }, 'OpenFGA was restored or emptied. Run: toolgate drift --repair');
    if (found !== disagreement) turned();
    disagreement = found;
  }

  function lookLater(): void {
    if (isStopped) return;
    timer = setTimeout(
      () => {
        look()
          .catch((error: unknown) => log.warn({ err: error }, 'the store was not compared'))
          .finally(lookLater);
      },
      disagreement === null ? EVERY_MS : SOON_MS,
    ).unref();
  }

  return {
    look,
    require() {
      if (disagreement !== null) throw unavailable(`OpenFGA: ${disagreement}`);
    },
    start: lookLater,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
