/** Values used last; those not used for the longest make room for others. */
export interface BoundedCache<Value> {
  /** What is found is in use. */
  get(key: string): Value | undefined;
  /** In place of what the key had. A value that outweighs the whole cache is not kept. */
  set(key: string, value: Value, weight: number): void;
  delete(key: string): void;
  /** Of all that is kept. */
  weight(): number;
}

/** Bounded by what its values weigh together, since few large ones are as many as small ones. */
export function createBoundedCache<Value>(most: number): BoundedCache<Value> {
  const kept = new Map<string, { value: Value; weight: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const known = kept.get(key);
      if (known === undefined) return undefined;
      kept.delete(key);
      kept.set(key, known);
      return known.value;
    },
    set(key, value, weight) {
      remove(key);
      if (weight > most) return;
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= most) return;
        remove(oldest);
      }
    },
    delete: remove,
    weight: () => total,
  };
}
