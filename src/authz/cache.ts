import { LRUCache } from 'lru-cache';

/** What is known of one caller under one set of nonces, by relation. */
export type Known = Map<string, boolean>;

/**
 * Answers cached under the nonces they were given at, so that no time to live is needed: a later
 * change has another nonce, and answers under the old one are never requested again.
 */
export interface DecisionCache {
  /** Always the same map while it is cached, so that an answer that comes late is not lost. */
  knownUnder(key: string): Known;
  /** Forgets every answer; one still under way is lost. */
  forget(): void;
}

const MAX_CALLERS = 40_000;

export function createDecisionCache(max = MAX_CALLERS): DecisionCache {
  const cache = new LRUCache<string, Known>({ max });
  return {
    knownUnder(key) {
      let known = cache.get(key);
      if (known === undefined) cache.set(key, (known = new Map()));
      return known;
    },
    forget: () => cache.clear(),
  };
}
