import { LRUCache } from 'lru-cache';

// A page of 200 long items has 20 MB, and one account may have 1,000 keys.
const MAX_BYTES = 32_000_000;
// Size of an empty page: its key and its entry.
const PAGE_WEIGHT = 1_000;

/**
 * Creates a cache of the texts of listed items, and of the last page of each credential. A page is
 * reused only for exactly the same items, which were decided for the current request.
 */
export function createPageCache<Listed extends object>(
  shown: (one: Listed) => object,
  most = MAX_BYTES,
) {
  const texts = new WeakMap<Listed, string>();
  const pages = new LRUCache<string, { page: readonly Listed[]; bytes: Buffer }>({ maxSize: most });

  function textOfOne(one: Listed): string {
    let text = texts.get(one);
    if (text === undefined) {
      text = JSON.stringify(shown(one));
      texts.set(one, text);
    }
    return text;
  }

  return {
    /** Returns the text of the page, which does not depend on `reader`, the cache key. */
    bytesOf(reader: string, page: readonly Listed[]): Buffer {
      const kept = pages.get(reader);
      if (kept !== undefined && isSame(kept.page, page)) return kept.bytes;
      const bytes = Buffer.from(page.map(textOfOne).join(','));
      pages.set(reader, { page, bytes }, { size: bytes.length + PAGE_WEIGHT });
      return bytes;
    },
  };
}

const isSame = (one: readonly object[], other: readonly object[]) =>
  one.length === other.length && one.every((item, index) => item === other[index]);
