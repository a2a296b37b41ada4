/** Seeded pseudorandom numbers, so that a failure can be reproduced. */
export interface Random {
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  pickOrNull<Item>(items: readonly Item[]): Item | null;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pickOrNull = <Item>(items: readonly Item[]) => items[below(items.length)] ?? null;

  return {
    below,
    pickOrNull,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
