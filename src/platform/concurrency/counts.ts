/** Counts what is open, by key: an owner's files and streams, or jobs. */
export function createCounts() {
  const counts = new Map<string, number>();
  const of = (key: string) => counts.get(key) ?? 0;

  function add(key: string, more: 1 | -1): void {
    const count = of(key) + more;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  }

  return {
    of,
    /** Counts one more until the returned function is called; further calls do nothing. */
    enter(key: string): () => void {
      add(key, 1);
      let isOpen = true;
      return () => {
        if (isOpen) add(key, -1);
        isOpen = false;
      };
    },
    total: () => counts.values().reduce((sum, count) => sum + count, 0),
  };
}
