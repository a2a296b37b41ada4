import { LRUCache } from 'lru-cache';
import type { Authz } from '../authz/authz.ts';
import type { ScopeState } from '../caller/scope.ts';

/** Reads a value by id, which is valid for one state of a scope. */
export type ReadInScope<Value> = (id: string, scope: ScopeState) => Promise<Value>;

/** Turns a read of rows into one that returns only rows of the given state. */
export type Exact = <Value>(readRows: (id: string) => Promise<Value>) => ReadInScope<Value>;

/**
 * Creates reads that throw `ConcurrentUpdate` if the scope has changed since the request read its
 * state. Otherwise a decision of that state could show rows that were added when it no longer held:
 * a person who was removed before an item was added would see it.
 */
export const createExact =
  ({ requireCurrent }: Pick<Authz, 'requireCurrent'>): Exact =>
  (readRows) =>
  async (id, scope) => {
    const value = await readRows(id);
    await requireCurrent(scope);
    return value;
  };

export interface ScopeCacheOptions<Value> {
  /** In the unit of `weightOf`. */
  maxSize: number;
  /** Weight of a value that is still being read. */
  pending: number;
  weightOf(value: Value): number;
}

interface Entry<Value> {
  nonce: string;
  content: number;
  value: Promise<Value>;
}

/**
 * Caches values read from rows, each valid only for the scope state it was read under: a warm call
 * needs no second query, and outdated values are never served.
 */
export function createScopeCache<Value>(
  read: ReadInScope<Value>,
  { maxSize, pending, weightOf }: ScopeCacheOptions<Value>,
): ReadInScope<Value> {
  const cache = new LRUCache<string, Entry<Value>>({ maxSize });

  function begin(id: string, scope: ScopeState): Entry<Value> {
    const { nonce, content } = scope;
    const entry: Entry<Value> = { nonce, content, value: read(id, scope) };
    const isCached = () => cache.get(id) === entry;
    cache.set(id, entry, { size: pending });
    entry.value.then(
      (value) => {
        // A value above the limit is cached too, alone: reading it for each call would cost more.
        if (!isCached()) return;
        // The cache updates the size only when the value changes.
        cache.delete(id);
        cache.set(id, entry, { size: Math.min(weightOf(value), maxSize) });
      },
      () => {
        if (isCached()) cache.delete(id);
      },
    );
    return entry;
  }

  return (id, scope) => {
    const cached = cache.get(id);
    if (cached?.nonce === scope.nonce && cached.content === scope.content) return cached.value;
    return begin(id, scope).value;
  };
}
