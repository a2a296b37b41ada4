import { unavailable } from '../errors/refusal.ts';

/**
 * Mutex per name: runs work with the same name sequentially; rejects it when `maxWaiting` are
 * queued or running.
 */
export function createMutex(maxWaiting: number) {
  const queues = new Map<string, { tail: Promise<unknown>; length: number }>();
  return async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(name) ?? { tail: Promise.resolve(), length: 0 };
    if (queue.length >= maxWaiting) throw unavailable('too many changes of one scope are queued');
    queue.length += 1;
    const result = queue.tail.then(work, work);
    queue.tail = result.catch(() => {});
    queues.set(name, queue);
    try {
      return await result;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) queues.delete(name);
    }
  };
}
