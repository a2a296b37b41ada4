import { LRUCache } from 'lru-cache';
import type { ScopeState } from '../caller/scope.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';

const MAX_CHARACTERS = 100_000_000;
// Weight in characters of a space without items, or of one that is still being read.
const SPACE_WEIGHT = 10_000;

/**
 * Caches the contents of spaces, each valid only for the scope state it was read under: a warm call
 * needs no second query, and outdated contents are never served.
 */
export function createSpaceCache(
  read: (space_id: string) => Promise<SpaceContents>,
  maxSize = MAX_CHARACTERS,
) {
  const cache = new LRUCache<string, Entry>({ maxSize });

  function begin(id: string, { nonce, content }: ScopeState): Entry {
    const entry: Entry = { nonce, content, space: read(id) };
    const isCached = () => cache.get(id) === entry;
    cache.set(id, entry, { size: SPACE_WEIGHT });
    entry.space.then(
      (space) => {
        // A space above the limit is cached too, alone: reading it for each call would cost more.
        if (!isCached()) return;
        // The cache updates the size only when the value changes.
        cache.delete(id);
        cache.set(id, entry, { size: Math.min(weightOfSpace(space), maxSize) });
      },
      () => {
        if (isCached()) cache.delete(id);
      },
    );
    return entry;
  }

  return function contentsAt(space_id: string, scope: ScopeState): Promise<SpaceContents> {
    const cached = cache.get(space_id);
    if (cached?.nonce === scope.nonce && cached.content === scope.content) return cached.space;
    return begin(space_id, scope).space;
  };
}

interface Entry {
  nonce: string;
  content: number;
  space: Promise<SpaceContents>;
}

const weights = new WeakMap<SpaceContents, number>();

/**
 * Returns the weight in characters, since one item's head may be as large as a hundred others;
 * computed once per object.
 */
export function weightOfSpace(space: SpaceContents): number {
  let weight = weights.get(space);
  if (weight === undefined) {
    const heads = space.items.map(({ head }) => JSON.stringify(head).length);
    weight = heads.reduce((sum, length) => sum + length, SPACE_WEIGHT);
    weights.set(space, weight);
  }
  return weight;
}
