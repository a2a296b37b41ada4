import type { Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { unavailable } from '../platform/refusal.ts';
import { readFence } from './apply.ts';
import type { Engine } from './client.ts';
import { epochAgrees } from './deployment.ts';
import { findDeployment, lastAppliedParts } from './store.ts';

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

/**
 * A store restored from a backup would answer with yesterday's tuples. Its epoch tells a foreign or
 * empty one; the fences of the changes applied last tell one that is older than they are.
 */
export function createStoreWatch(dependencies: {
  database: Database;
  engine: Engine;
  log: Log;
}): StoreWatch {
  const { database, engine, log } = dependencies;
  let disagreement: string | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function compare(): Promise<string | null> {
    const deployment = await findDeployment(database.pool);
    if (!deployment || !(await epochAgrees(engine, deployment.epoch))) return 'another epoch';
    for (const part of await lastAppliedParts(database.pool)) {
      const fence = await readFence(engine, part);
      if (fence === null || fence < part.position) return 'older than the last change';
    }
    return null;
  }

  async function look(): Promise<void> {
    const found = await compare();
    if (found !== null && found !== disagreement)
      log.error({ store: found }, 'OpenFGA was restored or emptied. Run: toolgate drift --repair');
    disagreement = found;
  }

  return {
    look,
    require() {
      if (disagreement !== null) throw unavailable(`OpenFGA: ${disagreement}`);
    },
    start() {
      timer = setInterval(() => {
        look().catch((error: unknown) => log.warn({ err: error }, 'the store was not compared'));
      }, EVERY_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
