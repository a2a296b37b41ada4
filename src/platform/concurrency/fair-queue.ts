/** A request for a slot, with its abort signal. */
export interface QueueEntry {
  signal: AbortSignal;
  /** Key among which slots are shared fairly, such as an owner's id; not used for anything else. */
  fairKey: string;
}

export interface FairQueueOptions {
  size: number;
  /** Maximum per key; default: `size`. */
  sizeOfOne?: number;
  /** Maximum queue length, in total and (`waitingOfOne`) per key. */
  waiting: number;
  waitingOfOne: number;
  /** Returns the error thrown when the queue is full. */
  busy(): Error;
}

/**
 * Fair queue: admits `size` at a time, `sizeOfOne` per key, and serves waiting keys round robin, so
 * that a key with many requests delays only itself. Rejects requests when the queue is full.
 */
export function createFairQueue({
  size,
  sizeOfOne = size,
  waiting,
  waitingOfOne,
  busy,
}: FairQueueOptions) {
  // In round-robin order; contains no empty queue.
  const queues = new Map<string, (() => void)[]>();
  const taken = new Map<string, number>();
  let takenTotal = 0;

  const takenBy = (key: string) => taken.get(key) ?? 0;
  const isFree = (key: string) => takenTotal < size && takenBy(key) < sizeOfOne;

  function take(key: string): void {
    takenTotal += 1;
    taken.set(key, takenBy(key) + 1);
  }

  async function enter({ signal, fairKey }: QueueEntry): Promise<void> {
    signal.throwIfAborted();
    if (isFree(fairKey)) return take(fairKey);
    const length = queues.values().reduce((sum, queue) => sum + queue.length, 0);
    if (length >= waiting || (queues.get(fairKey)?.length ?? 0) >= waitingOfOne) throw busy();
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        remove(fairKey, go);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener('abort', giveUp);
        take(fairKey);
        resolve();
      };
      queues.set(fairKey, [...(queues.get(fairKey) ?? []), go]);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  function remove(key: string, go: () => void): void {
    const rest = (queues.get(key) ?? []).filter((other) => other !== go);
    if (rest.length > 0) queues.set(key, rest);
    else queues.delete(key);
  }

  function leave({ fairKey }: Pick<QueueEntry, 'fairKey'>): void {
    takenTotal -= 1;
    if (takenBy(fairKey) > 1) taken.set(fairKey, takenBy(fairKey) - 1);
    else taken.delete(fairKey);
    const next = queues.entries().find(([key]) => isFree(key));
    if (next === undefined) return;
    const [key, [go, ...rest]] = next;
    queues.delete(key);
    if (rest.length > 0) queues.set(key, rest);
    go?.();
  }

  return { enter, leave };
}
