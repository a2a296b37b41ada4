// Of two hundred long tools each, some tens of megabytes.
const PAGES = 200;

/**
 * Texts of listed items, and of the pages asked for last. A page is taken again only for exactly the
 * same items, which were decided anew for the request.
 */
export function createKeptPages<Listed extends object>(shown: (one: Listed) => object) {
  const texts = new WeakMap<Listed, string>();
  const pages = new Map<string, { page: readonly Listed[]; text: string }>();

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
    textOf(reader: string, page: readonly Listed[]): string {
      const kept = pages.get(reader);
      if (kept !== undefined && isSame(kept.page, page)) return kept.text;
      const text = page.map(textOfOne).join(',');
      pages.delete(reader);
      pages.set(reader, { page, text });
      if (pages.size > PAGES) pages.delete(pages.keys().next().value!);
      return text;
    },
  };
}

const isSame = (one: readonly object[], other: readonly object[]) =>
  one.length === other.length && one.every((item, index) => item === other[index]);
