import { LRUCache } from 'lru-cache';

// A page of two hundred long items has twenty million, and one account may have a thousand keys.
const MOST_BYTES = 32_000_000;
// Of a page without a word: its key and its entry.
const PAGE_WEIGHT = 1_000;

/**
 * Texts of listed items, and of the pages asked for last. A page is taken again only for exactly the
 * same items, which were decided anew for the request.
 */
export function createKeptPages<Listed extends object>(
  shown: (one: Listed) => object,
  most = MOST_BYTES,
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
    /** `reader` is who asks; whose page it is does not matter to what it says. */
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
