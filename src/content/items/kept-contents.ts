import { createBoundedCache } from '../../platform/bounded-cache.ts';

const MOST_CHARACTERS = 16_000_000;

/**
 * Contents read last, by item and version: a version never changes, so nothing kept can be stale,
 * and whether an item may be read is decided before, from the rows of this very request.
 */
export function createKeptContents<Content>() {
  const kept = createBoundedCache<Content>(MOST_CHARACTERS);

  return async (key: string, read: () => Promise<Content | null>): Promise<Content | null> => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const content = await read();
    if (content !== null) kept.set(key, content, JSON.stringify(content).length);
    return content;
  };
}
