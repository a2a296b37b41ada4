import { unavailable } from '../errors/refusal.ts';

export interface GateOptions {
  width: number;
  waiting: number;
  /** Who waited this long is refused; without it a place always comes. */
  waitMs?: number;
}

/** Lets `width` runs through at a time; beyond `waiting` the next is refused, never queued. */
export function createGate({ width, waiting, waitMs }: GateOptions) {
  let running = 0;
  const queue: (() => void)[] = [];

  function place(): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(unavailable('waited too long for a server'));
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
    if (running >= width) {
      if (queue.length >= waiting) throw unavailable('too many wait for a server');
      await place();
    } else running += 1;
    try {
      return await run();
    } finally {
      // The place is handed on, so that nobody slips in between.
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
