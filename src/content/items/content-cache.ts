import { LRUCache } from 'lru-cache';

const MAX_CHARACTERS = 16_000_000;

/**
 * LRU cache of contents, by item and version mark: neither a later edit nor a restored database
 * gives other content the same mark. Access is decided before the lookup, from the rows of the
 * current request.
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
