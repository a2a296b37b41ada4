/** What is known of one caller under one set of stamps, by relation. */
export type Known = Map<string, boolean>;

/**
 * Answers kept under the stamps they were asked at, so that no time to live is needed: a later
 * change has another stamp, and what lies under the old one is never asked for again.
 * Bounded by two generations: when the young one is full, the old one is forgotten.
 */
export interface DecisionCache {
  /** Always the same map while it is kept, so that an answer that comes late is not lost. */
  knownUnder(key: string): Known;
  /** What was known is asked for again; an answer still under way is lost. */
  forget(): void;
}

const GENERATION = 20_000;

export function createDecisionCache(generation = GENERATION): DecisionCache {
  let young = new Map<string, Known>();
  let old = new Map<string, Known>();
  return {
    knownUnder(key) {
      const fresh = young.get(key);
      if (fresh !== undefined) return fresh;
      const known = old.get(key) ?? new Map<string, boolean>();
      young.set(key, known);
      if (young.size >= generation) {
        old = young;
        young = new Map();
      }
      return known;
    },
    forget() {
      young = new Map();
      old = new Map();
    },
  };
}
