import { unavailable } from '../errors/refusal.ts';

export interface BatchedReadOptions<Value> {
  /** Reads many keys at once; keys without a value are missing from the result. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>;
  inFlight?: number;
  /** Maximum number of distinct keys per read. */
  batch?: number;
  /** Maximum number of requests waiting for a read to start; more are rejected. */
  maxWaiting?: number;
}

interface Waiter<Value> {
  resolve(value: Value | null): void;
  reject(error: unknown): void;
}

/**
 * Batches many requests into one read: those that arrive in one turn of the event loop, and those
 * that wait while `inFlight` reads are running. A read starts only after all its requests have
 * arrived, so no request gets a value older than itself.
 */
export function createBatchedRead<Value>({
  read,
  inFlight = 2,
  batch = 256,
  maxWaiting: mostWaiting = 1_000,
}: BatchedReadOptions<Value>) {
  let queue = new Map<string, Waiter<Value>[]>();
  let waiting = 0;
  let running = 0;
  let isDue = false;

  /**
   * Starts at the end of this event loop turn, so that requests from one socket poll share a read.
   */
  function startSoon(): void {
    if (isDue || running >= inFlight) return;
    isDue = true;
    setImmediate(start);
  }

  function start(): void {
    isDue = false;
    while (running < inFlight && queue.size > 0) {
      running += 1;
      void readGroup(nextGroup());
    }
  }

  /**
   * Returns up to `batch` keys, usually the whole queue. The map is replaced, not emptied: a
   * long-lived map would retain its former entries (see `InFlight`).
   */
  function nextGroup(): ReadonlyMap<string, Waiter<Value>[]> {
    const isAll = queue.size <= batch;
    const group = isAll ? queue : new Map(queue.entries().take(batch));
    queue = isAll ? new Map() : new Map(queue.entries().drop(batch));
    for (const waiters of group.values()) waiting -= waiters.length;
    return group;
  }

  async function readGroup(group: ReadonlyMap<string, Waiter<Value>[]>): Promise<void> {
    try {
      const values = await read([...group.keys()]);
      for (const [key, waiters] of group)
        for (const waiter of waiters) waiter.resolve(values.get(key) ?? null);
    } catch (error) {
      for (const waiters of group.values()) for (const waiter of waiters) waiter.reject(error);
    }
    running -= 1;
    if (!isDue) start();
  }

  /** Returns the key's value from a read that starts after this call; null if it has none. */
  return function readOne(key: string): Promise<Value | null> {
    if (waiting >= mostWaiting)
      return Promise.reject(unavailable('too many batched reads are queued'));
    return new Promise((resolve, reject) => {
      const waiters = queue.get(key) ?? [];
      waiters.push({ resolve, reject });
      queue.set(key, waiters);
      waiting += 1;
      startSoon();
    });
  };
}
