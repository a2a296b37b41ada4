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
  /**
   * Serves first the waiting key that held slots for the least time, where half of that time is
   * forgotten after this period. Default: the keys take turns, however long each turn is.
   */
  halfLifeMs?: number | undefined;
  /** Returns the error thrown when the queue is full. */
  createBusyError(): Error;
}

/**
 * Fair queue: admits `size` at a time, `sizePerKey` per key, and serves waiting keys round robin,
 * so that a key with many requests delays only itself. Where turns are long, `halfLifeMs` keeps a
 * few keys that always wait from delaying a new one. Rejects requests when the queue is full.
 */
export function createFairQueue({
  size,
  sizePerKey = size,
  maxWaiting,
  maxWaitingPerKey,
  halfLifeMs,
  createBusyError,
}: FairQueueOptions) {
  // In round-robin order; contains no empty queue.
  const queues = new Map<string, (() => void)[]>();
  const slotsByKey = new Map<string, number>();
  let slotsInUse = 0;
  const heldTimes = halfLifeMs === undefined ? null : createHeldTimes(halfLifeMs);

  const slotsOf = (key: string) => slotsByKey.get(key) ?? 0;
  const isFree = (key: string) => slotsInUse < size && slotsOf(key) < sizePerKey;

  function take(key: string): void {
    heldTimes?.add(key, slotsOf(key));
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
    heldTimes?.add(fairnessKey, slotsOf(fairnessKey));
    slotsInUse -= 1;
    if (slotsOf(fairnessKey) > 1) slotsByKey.set(fairnessKey, slotsOf(fairnessKey) - 1);
    else slotsByKey.delete(fairnessKey);
    const next = nextKey();
    if (next === undefined) return;
    const [key, [start, ...rest]] = next;
    queues.delete(key);
    if (rest.length > 0) queues.set(key, rest);
    start?.();
  }

  function nextKey() {
    const ready = [...queues].filter(([key]) => isFree(key));
    if (heldTimes === null) return ready[0];
    const times = ready.map(([key]) => heldTimes.of(key));
    return ready[times.indexOf(Math.min(...times))];
  }

  return { enter, leave };
}

/** Creates the sums of the time for which each key held slots, of which half is forgotten. */
function createHeldTimes(halfLifeMs: number) {
  // In the order of `at`.
  const sums = new Map<string, { ms: number; at: number }>();
  const remaining = (elapsed: number) => 0.5 ** (elapsed / halfLifeMs);

  function of(key: string): number {
    const sum = sums.get(key);
    return sum === undefined ? 0 : sum.ms * remaining(performance.now() - sum.at);
  }

  /** Forgets the keys at the front until one counts, so that each is looked at once. */
  function forgetOld(now: number): void {
    for (const [key, { at }] of sums) {
      if (remaining(now - at) >= 0.01) return;
      sums.delete(key);
    }
  }

  return {
    of,
    /** Adds the time since the key's last call, for which it held this many slots. */
    add(key: string, slots: number): void {
      const now = performance.now();
      const elapsed = now - (sums.get(key)?.at ?? now);
      const ms = of(key) + slots * elapsed;
      sums.delete(key);
      sums.set(key, { ms, at: now });
      forgetOld(now);
    },
  };
}
