import { LRUCache } from 'lru-cache';

// A page of 200 long items can take 20 MB, and one account may have 1,000 keys.
const MAX_BYTES = 32_000_000;
// Overhead of each page: its key and its entry.
const PAGE_OVERHEAD = 1_000;

/**
 * Creates a cache of the JSON of listed items, and of the last page sent to each credential. A page
 * is reused only for exactly the same items, as decided for the current request.
 */
export function createPageCache<Listed extends object>(
  format: (item: Listed) => object,
  maxBytes = MAX_BYTES,
) {
  const texts = new WeakMap<Listed, string>();
  const pages = new LRUCache<string, { page: readonly Listed[]; bytes: Buffer }>({
    maxSize: maxBytes,
  });

  function textOf(item: Listed): string {
    let text = texts.get(item);
    if (text === undefined) {
      text = JSON.stringify(format(item));
      texts.set(item, text);
    }
    return text;
  }

  return {
    /** Returns the page's JSON, which does not depend on `reader`, the cache key. */
    bytesOf(reader: string, page: readonly Listed[]): Buffer {
      const cached = pages.get(reader);
      if (cached !== undefined && isSame(cached.page, page)) return cached.bytes;
      const bytes = Buffer.from(page.map(textOf).join(','));
      pages.set(reader, { page, bytes }, { size: bytes.length + PAGE_OVERHEAD });
      return bytes;
    },
  };
}

const isSame = (one: readonly object[], other: readonly object[]) =>
  one.length === other.length && one.every((item, index) => item === other[index]);
