import { unavailable } from '../errors/refusal.ts';

/**
 * Mutex per name: runs work of one name sequentially; rejects when `most` are queued or running.
 */
export function createTurns(most: number) {
  const queues = new Map<string, { tail: Promise<unknown>; length: number }>();
  return async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(name) ?? { tail: Promise.resolve(), length: 0 };
    if (queue.length >= most) throw unavailable('too many changes of one scope wait');
    queue.length += 1;
    const turn = queue.tail.then(work, work);
    queue.tail = turn.catch(() => {});
    queues.set(name, queue);
    try {
      return await turn;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) queues.delete(name);
    }
  };
}
