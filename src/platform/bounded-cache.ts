/** Values in use; roughly those that were not used lately make room for others. */
export interface BoundedCache<Value> {
  /** What is found is in use. */
  get(key: string): Value | undefined;
  /** In place of what the key had. A value that outweighs the whole cache is not kept. */
  set(key: string, value: Value, weight: number): void;
  delete(key: string): void;
  /** Of all that is kept. */
  weight(): number;
}

// Passing over everything that is in use would hold the process up.
const MOST_PASSED_OVER = 1_000;

/**
 * Bounded by what its values weigh together, since few large ones are as many as small ones. The
 * oldest make room; one that was found since it came or was last passed over is passed over once
 * more (the clock algorithm), so that finding it moves nothing.
 */
export function createBoundedCache<Value>(most: number): BoundedCache<Value> {
  const kept = new Map<string, { value: Value; weight: number; isUsed: boolean }>();
  let total = 0;

  function remove(key: string): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  function makeRoom(weight: number): void {
    let passedOver = 0;
    for (const [key, known] of kept) {
      if (total + weight <= most) return;
      if (known.isUsed && passedOver < MOST_PASSED_OVER) {
        passedOver += 1;
        known.isUsed = false;
        kept.delete(key);
        kept.set(key, known);
      } else remove(key);
    }
  }

  return {
    get(key) {
      const known = kept.get(key);
      if (known === undefined) return undefined;
      known.isUsed = true;
      return known.value;
    },
    set(key, value, weight) {
      remove(key);
      if (weight > most) return;
      makeRoom(weight);
      kept.set(key, { value, weight, isUsed: false });
      total += weight;
    },
    delete: remove,
    weight: () => total,
  };
}
