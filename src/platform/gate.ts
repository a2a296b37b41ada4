import { unavailable } from './refusal.ts';

/** Lets `width` runs through at a time; beyond `waiting` the next is refused, never queued. */
export function createGate({ width, waiting }: { width: number; waiting: number }) {
  let running = 0;
  const queue: (() => void)[] = [];
  return async function pass<T>(run: () => Promise<T>): Promise<T> {
    if (running >= width) {
      if (queue.length >= waiting) throw unavailable('too many wait for a server');
      await new Promise<void>((resolve) => queue.push(resolve));
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
