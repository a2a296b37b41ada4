import { LRUCache } from 'lru-cache';

/** The names of scopes, separated by spaces, of which a request has those that are in each. */
export interface ScopeTexts {
  /** Null for a connection without a token. */
  token: string | null;
  connection: string;
  /** What the client may have now; null if it was deleted. */
  ceiling: string | null;
}

const MAX_SETS = 10_000;

/** Creates the function that intersects names, which are exact; same texts give the same set. */
export function createScopeSets() {
  const sets = new LRUCache<string, ReadonlySet<string>>({ max: MAX_SETS });
  return ({ token, connection, ceiling }: ScopeTexts): ReadonlySet<string> => {
    const key = JSON.stringify([token, connection, ceiling]);
    let found = sets.get(key);
    if (found === undefined) {
      const allowed = namesIn(connection).intersection(namesIn(ceiling ?? ''));
      found = token === null ? allowed : allowed.intersection(namesIn(token));
      sets.set(key, found);
    }
    return found;
  };
}
export type ScopeSets = ReturnType<typeof createScopeSets>;

const namesIn = (text: string): Set<string> => new Set(text.split(' ').filter((name) => name));
