/**
 * Records interruptions of the service's requests to OpenFGA: during each, its store may have been
 * restored. They count until a comparison that began later has shown that it was not.
 */
export function createInterruptions() {
  let count = 0;
  let compared = 0;
  let since = Number.POSITIVE_INFINITY;
  return {
    /**
     * Records one; `lastedSince` is the last time, in `performance.now()`, that the store was
     * known.
     */
    record(lastedSince: number) {
      count += 1;
      since = Math.min(since, lastedSince);
    },
    count: () => count,
    /** Returns whether the store was compared after the last one. */
    areCompared: () => compared === count,
    /** Returns the milliseconds since the first that was not compared; 0 if there is none. */
    ageMs: () => Math.max(0, performance.now() - since),
    /** Notes that a comparison was answered that began after the first `count`. */
    markCompared(upTo: number) {
      compared = Math.max(compared, upTo);
      // Otherwise the comparison of a later one checks more changes than necessary.
      if (compared === count) since = Number.POSITIVE_INFINITY;
    },
  };
}
export type Interruptions = ReturnType<typeof createInterruptions>;
