import { LRUCache } from 'lru-cache';
import type { ScopeState } from '../caller/scope.ts';
import type { SpaceContents } from '../content/spaces/spaces.ts';

const MOST_CHARACTERS = 100_000_000;
// Of a space without an item, or of one that is still read.
const SPACE_WEIGHT = 10_000;

/**
 * Caches the contents of spaces, each valid for the one state of its scope it was read under: a
 * warm call needs no second query, a changed space is never served.
 */
export function createKeptSpaces(
  read: (space_id: string) => Promise<SpaceContents>,
  most = MOST_CHARACTERS,
) {
  const kept = new LRUCache<string, Kept>({ maxSize: most });

  function begin(id: string, { nonce, content }: ScopeState): Kept {
    const entry: Kept = { nonce, content, space: read(id) };
    const isKept = () => kept.get(id) === entry;
    kept.set(id, entry, { size: SPACE_WEIGHT });
    entry.space.then(
      (space) => {
        // The largest is kept too, alone: read for each call it would cost more.
        if (!isKept()) return;
        // The cache reads a size only with a value it does not hold.
        kept.delete(id);
        kept.set(id, entry, { size: Math.min(weightOfSpace(space), most) });
      },
      () => {
        if (isKept()) kept.delete(id);
      },
    );
    return entry;
  }

  return function contentsAt(space_id: string, scope: ScopeState): Promise<SpaceContents> {
    const known = kept.get(space_id);
    if (known?.nonce === scope.nonce && known.content === scope.content) return known.space;
    return begin(space_id, scope).space;
  };
}

interface Kept {
  nonce: string;
  content: number;
  space: Promise<SpaceContents>;
}

const weights = new WeakMap<SpaceContents, number>();

/** In characters, by which the head of one item may be a hundred others; worked out once. */
export function weightOfSpace(space: SpaceContents): number {
  let weight = weights.get(space);
  if (weight === undefined) {
    const heads = space.items.map(({ head }) => JSON.stringify(head).length);
    weight = heads.reduce((sum, length) => sum + length, SPACE_WEIGHT);
    weights.set(space, weight);
  }
  return weight;
}
