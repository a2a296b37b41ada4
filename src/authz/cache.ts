/**
 * Answers kept under the stamps they were asked at, so that no time to live is needed: a later
 * change has another stamp, and what lies under the old one is never asked for again.
 * Bounded by two generations: when the young one is full, the old one is forgotten.
 */
export interface DecisionCache {
  get(key: string): boolean | undefined;
  set(key: string, allowed: boolean): void;
}

const GENERATION = 50_000;

export function createDecisionCache(generation = GENERATION): DecisionCache {
  let young = new Map<string, boolean>();
  let old = new Map<string, boolean>();
  const set = (key: string, allowed: boolean) => {
    young.set(key, allowed);
    if (young.size < generation) return;
    old = young;
    young = new Map();
  };
  return {
    get(key) {
      const fresh = young.get(key);
      if (fresh !== undefined) return fresh;
      const kept = old.get(key);
      if (kept !== undefined) set(key, kept);
      return kept;
    },
    set,
  };
}
