const BATCH = 1_000;
// What is left waits for the next sweep; other work of the caller does not wait for it.
const MOST_BATCHES = 100;

/** Deletes the oldest rows of one table, `limit` of them. */
export type RemoveOldest = (limit: number) => Promise<{ readonly rowCount: number }>;

/** Removes what is over in batches, so that none of them meets the statement timeout. */
export async function sweepInBatches(remove: RemoveOldest): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES; batch += 1)
    if ((await remove(BATCH)).rowCount < BATCH) return;
}
