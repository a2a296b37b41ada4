import { LRUCache } from 'lru-cache';

const MAX_CHARACTERS = 16_000_000;

/**
 * LRU cache of item contents, keyed by item and `versionMark`, which is never reused for different
 * content, not even after a database restore. Access is checked before the lookup, against the rows
 * that the current request read.
 */
export function createContentCache<Content extends object>() {
  const cache = new LRUCache<string, Content>({ maxSize: MAX_CHARACTERS });

  return async (key: string, read: () => Promise<Content | null>): Promise<Content | null> => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const content = await read();
    if (content !== null) cache.set(key, content, { size: JSON.stringify(content).length });
    return content;
  };
}
