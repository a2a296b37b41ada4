import { unavailable } from '../../platform/errors/refusal.ts';

const TRIES = 4;

/** Somebody else made, or removed, the row this transaction stood on: look again. */
export class Overtaken extends Error {}

/** Unique constraints settle every race; who lost one finds what the other made. */
export async function settled<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (tries === TRIES) throw unavailable('others kept changing the same identity', error);
    }
  }
}
