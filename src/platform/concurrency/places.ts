/** Who asks for a place, and until when. */
export interface Turn {
  signal: AbortSignal;
  /** Whom a place is given to in turn, such as an owner's id; it means nothing else. */
  fairKey: string;
}

export interface PlacesOptions {
  size: number;
  /** In all, and of one key. */
  waiting: number;
  waitingOfOne: number;
  /** What those are refused with who could only wait long. */
  busy(): Error;
}

/**
 * Admits `size` at a time and each waiting key in turn, so that one who asks for much makes only
 * itself wait; refuses those who could only wait long.
 */
export function createPlaces({ size, waiting, waitingOfOne, busy }: PlacesOptions) {
  // In the order of their turns; no queue is empty.
  const queues = new Map<string, (() => void)[]>();
  let taken = 0;

  async function enter({ signal, fairKey }: Turn): Promise<void> {
    signal.throwIfAborted();
    if (taken < size) {
      taken += 1;
      return;
    }
    const length = queues.values().reduce((sum, queue) => sum + queue.length, 0);
    if (length >= waiting || (queues.get(fairKey)?.length ?? 0) >= waitingOfOne) throw busy();
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        remove(fairKey, go);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener('abort', giveUp);
        taken += 1;
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

  function leave(): void {
    taken -= 1;
    const [turn] = queues;
    if (turn === undefined) return;
    const [key, [go, ...rest]] = turn;
    queues.delete(key);
    if (rest.length > 0) queues.set(key, rest);
    go?.();
  }

  return { enter, leave };
}
