const MAX_WAITING = 10_000;

/**
 * Adds to a bounded queue. Dropping the oldest does no lasting harm: a count that is too high lasts
 * until its window or month ends, one that is too low until the owner's next flush.
 */
export function addBounded<T>(queue: Map<string, T>, key: string, value: T): void {
  queue.set(key, value);
  const [oldest] = queue.keys();
  if (queue.size > MAX_WAITING && oldest !== undefined) queue.delete(oldest);
}
