const MAX_WAITING = 10_000;

/**
 * Bounded, and what is dropped is made good: a count too high ends with its window or month, one
 * too low with the owner's next flush.
 */
export function keep<T>(queue: Map<string, T>, key: string, value: T): void {
  queue.set(key, value);
  const [oldest] = queue.keys();
  if (queue.size > MAX_WAITING && oldest !== undefined) queue.delete(oldest);
}
