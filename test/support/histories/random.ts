/** A repeatable source of choices. */
export interface Random {
  /** Returns an integer from 0 to `below - 1`. */
  below(below: number): number;
  one<Value>(values: readonly Value[]): Value;
  /** Returns another source; later use of either does not affect the other. */
  fork(): Random;
}

/** Creates a source from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => next() % limit;
  return {
    below,
    one: (values) => values[below(values.length)]!,
    fork: () => createRandom(next()),
  };
}

/** Returns the seed of this run; `TEST_SEED` repeats one. */
export const newSeed = (): number => Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);
