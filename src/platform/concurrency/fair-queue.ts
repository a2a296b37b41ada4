/** A request for a slot, with its abort signal. */
export interface QueueEntry {
  signal: AbortSignal;
  /** Slots are shared fairly among these keys, such as owner ids. */
  fairnessKey: string;
}

export interface FairQueueOptions {
  size: number;
  /** Maximum per key; default: `size`. */
  sizePerKey?: number;
  /** Maximum queue length, in total and (`waitingPerKey`) per key. */
  maxWaiting: number;
  maxWaitingPerKey: number;
  /** Returns the error thrown when the queue is full. */
  createBusyError(): Error;
}

/**
 * Fair queue: admits `size` at a time, `sizePerKey` per key, and serves waiting keys round robin,
 * so that a key with many requests delays only itself. Rejects requests when the queue is full.
 */
export function createFairQueue({
  size,
  sizePerKey = size,
  maxWaiting,
  maxWaitingPerKey,
  createBusyError,
}: FairQueueOptions) {
  // In round-robin order; contains no empty queue.
  const queues = new Map<string, (() => void)[]>();
  const slotsByKey = new Map<string, number>();
  let slotsInUse = 0;

  const slotsOf = (key: string) => slotsByKey.get(key) ?? 0;
  const isFree = (key: string) => slotsInUse < size && slotsOf(key) < sizePerKey;

  function take(key: string): void {
    slotsInUse += 1;
    slotsByKey.set(key, slotsOf(key) + 1);
  }

  async function enter({ signal, fairnessKey }: QueueEntry): Promise<void> {
    signal.throwIfAborted();
    if (isFree(fairnessKey)) return take(fairnessKey);
    const length = queues.values().reduce((sum, queue) => sum + queue.length, 0);
    if (length >= maxWaiting || (queues.get(fairnessKey)?.length ?? 0) >= maxWaitingPerKey)
      throw createBusyError();
    await new Promise<void>((resolve, reject) => {
      const cancel = () => {
        remove(fairnessKey, start);
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener('abort', cancel);
        take(fairnessKey);
        resolve();
      };
      queues.set(fairnessKey, [...(queues.get(fairnessKey) ?? []), start]);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  function remove(key: string, start: () => void): void {
    const rest = (queues.get(key) ?? []).filter((other) => other !== start);
    if (rest.length > 0) queues.set(key, rest);
    else queues.delete(key);
  }

  function leave({ fairnessKey }: Pick<QueueEntry, 'fairnessKey'>): void {
    slotsInUse -= 1;
    if (slotsOf(fairnessKey) > 1) slotsByKey.set(fairnessKey, slotsOf(fairnessKey) - 1);
    else slotsByKey.delete(fairnessKey);
    const next = queues.entries().find(([key]) => isFree(key));
    if (next === undefined) return;
    const [key, [start, ...rest]] = next;
    queues.delete(key);
    if (rest.length > 0) queues.set(key, rest);
    start?.();
  }

  return { enter, leave };
}
