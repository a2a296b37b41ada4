/** The most checks that OpenFGA accepts in one BatchCheck. */
const MAX_CHECKS = 50;
/** BatchChecks of one decision at a time: a large decision must leave slots to the others. */
const MAX_PARALLEL = 4;

/**
 * Sends checks in batches, and returns the results in order. After a failure it sends no more: the
 * decision fails as a whole.
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  send: (batch: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: (readonly Result[])[] = [];
  const starts = Array.from({ length: Math.ceil(items.length / MAX_CHECKS) }, (_, index) => index);
  async function sendNext(): Promise<void> {
    for (let index = starts.shift(); index !== undefined; index = starts.shift())
      try {
        results[index] = await send(items.slice(index * MAX_CHECKS, (index + 1) * MAX_CHECKS));
      } catch (error) {
        starts.length = 0;
        throw error;
      }
  }
  await Promise.all(Array.from({ length: MAX_PARALLEL }, sendNext));
  return results.flat();
}
