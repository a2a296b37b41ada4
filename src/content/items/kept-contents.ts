const MOST_CHARACTERS = 16_000_000;

/**
 * Contents read last, by item and version: a version never changes, so nothing kept can be stale,
 * and whether an item may be read is decided before, from the rows of this very request.
 */
export function createKeptContents<Content>({ most = MOST_CHARACTERS } = {}) {
  const kept = new Map<string, { content: Content; size: number }>();
  let total = 0;

  function keep(key: string, content: Content): void {
    const size = JSON.stringify(content).length;
    if (size > most || kept.has(key)) return;
    kept.set(key, { content, size });
    total += size;
    for (const [oldest, entry] of kept) {
      if (total <= most) return;
      kept.delete(oldest);
      total -= entry.size;
    }
  }

  return async (key: string, read: () => Promise<Content | null>): Promise<Content | null> => {
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key);
      kept.set(key, known);
      return known.content;
    }
    const content = await read();
    if (content !== null) keep(key, content);
    return content;
  };
}
