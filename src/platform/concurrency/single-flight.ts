/**
 * Runs the work one at a time. Callers share the next run: it begins after each of them called, so
 * that its outcome is never older than the call.
 */
export function createSingleFlight(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  return function run(): Promise<void> {
    next ??= running
      .catch(() => {})
      .then(() => {
        running = next!;
        next = null;
        return work();
      });
    return next;
  };
}
