import { unavailable } from '../errors/refusal.ts';

export interface SemaphoreOptions {
  maxConcurrent: number;
  maxQueued: number;
  /** Calls that waited this long are rejected; if unset, they wait without limit. */
  waitMs?: number;
}

/** Runs at most `width` calls at a time; queues up to `waiting` more and rejects the rest. */
export function createSemaphore({ maxConcurrent, maxQueued, waitMs }: SemaphoreOptions) {
  let running = 0;
  const queue: (() => void)[] = [];

  function slot(): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(unavailable('timed out waiting for a free slot'));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      queue.push(enter);
    });
  }

  return async function pass<T>(run: () => Promise<T>): Promise<T> {
    if (running >= maxConcurrent) {
      if (queue.length >= maxQueued) throw unavailable('too many requests are queued');
      await slot();
    } else running += 1;
    try {
      return await run();
    } finally {
      // Hand the slot over directly, so that no new call can take it in between.
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
