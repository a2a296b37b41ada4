import { LRUCache } from 'lru-cache';

const MOST_CHARACTERS = 16_000_000;

/**
 * Caches the contents read last, by item and version mark: neither a later edit nor a restored
 * database gives another content the same mark. Whether an item may be read is decided before, from
 * the rows of this very request.
 */
export function createKeptContents<Content extends object>() {
  const kept = new LRUCache<string, Content>({ maxSize: MOST_CHARACTERS });

  return async (key: string, read: () => Promise<Content | null>): Promise<Content | null> => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const content = await read();
    if (content !== null) kept.set(key, content, { size: JSON.stringify(content).length });
    return content;
  };
}
