/** Asks once for all that wait, and again when the answer is older than `ms`; keeps no failure. */
export function createKept<Value>(ms: number, ask: () => Promise<Value>): () => Promise<Value> {
  let kept: { value: Promise<Value>; until: number } | null = null;
  return async function get() {
    if (kept !== null && performance.now() < kept.until) return kept.value;
    const asked = { value: ask(), until: performance.now() + ms };
    kept = asked;
    try {
      return await asked.value;
    } catch (error) {
      if (kept === asked) kept = null;
      throw error;
    }
  };
}
