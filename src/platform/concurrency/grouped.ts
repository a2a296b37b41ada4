import { unavailable } from '../errors/refusal.ts';

export interface GroupedOptions<Value> {
  /** Answers many at once; a key that is not in the answer has none. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>;
  inFlight?: number;
  /** Different keys in one read. */
  batch?: number;
  /** Requests waiting for a read to start; the next one is refused. */
  waiting?: number;
}

interface Waiter<Value> {
  resolve(value: Value | null): void;
  reject(error: unknown): void;
}

/**
 * One read for many requests: those that arrive in one turn of the event loop share a read, and so
 * do those that wait while the reads in flight are all taken. A read starts after each request it
 * answers arrived, so nobody is told what was true before they asked.
 */
export function createGrouped<Value>({
  read,
  inFlight = 2,
  batch = 256,
  waiting: mostWaiting = 1_000,
}: GroupedOptions<Value>) {
  let queue = new Map<string, Waiter<Value>[]>();
  let waiting = 0;
  let running = 0;
  let isDue = false;

  /** At the end of this turn: what one poll of the sockets brought travels together. */
  function startSoon(): void {
    if (isDue || running >= inFlight) return;
    isDue = true;
    setImmediate(start);
  }

  function start(): void {
    isDue = false;
    while (running < inFlight && queue.size > 0) {
      running += 1;
      void answer(nextGroup());
    }
  }

  /** Mostly all of them; a map that lived on would keep what passed through it (`Slots`). */
  function nextGroup(): ReadonlyMap<string, Waiter<Value>[]> {
    const isAll = queue.size <= batch;
    const group = isAll ? queue : new Map(queue.entries().take(batch));
    queue = isAll ? new Map() : new Map(queue.entries().drop(batch));
    for (const waiters of group.values()) waiting -= waiters.length;
    return group;
  }

  async function answer(group: ReadonlyMap<string, Waiter<Value>[]>): Promise<void> {
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

  /** The value of this key as a read says that starts now or later; null: it has none. */
  return function ask(key: string): Promise<Value | null> {
    if (waiting >= mostWaiting)
      return Promise.reject(unavailable('too many wait for a grouped read'));
    return new Promise((resolve, reject) => {
      const waiters = queue.get(key) ?? [];
      waiters.push({ resolve, reject });
      queue.set(key, waiters);
      waiting += 1;
      startSoon();
    });
  };
}
