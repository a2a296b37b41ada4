import type { Log } from '../observability/log.ts';
import type { RedisLink } from './redis.ts';

/** Creates wake-ups across instances: "something may have changed for X", without content. */
export function createEvents(redis: RedisLink, log: Log) {
  const listeners = new Map<string, Set<() => void>>();
  const channel = (topic: string) => `${redis.prefix}chg:${topic}`;
  const logFailure = (error: unknown) =>
    log.debug({ err: error }, 'Redis publish or subscribe failed; changes are found by polling');
  redis.subscriber.on('message', (name: string) => {
    for (const wake of listeners.get(name) ?? []) wake();
  });
  return {
    /** Never throws: if a wake-up is lost, the next read finds the change, within a second. */
    publish(topic: string) {
      redis.commands.publish(channel(topic), '').catch(logFailure);
    },
    /**
     * Calls `wake` on each publish; returns a function that unsubscribes. Redis is only subscribed
     * while in use.
     */
    subscribe(topic: string, wake: () => void) {
      const name = channel(topic);
      const waiting = listeners.get(name) ?? new Set();
      listeners.set(name, waiting.add(wake));
      if (waiting.size === 1) redis.subscriber.subscribe(name).catch(logFailure);
      return () => {
        waiting.delete(wake);
        if (waiting.size > 0 || listeners.get(name) !== waiting) return;
        listeners.delete(name);
        redis.subscriber.unsubscribe(name).catch(logFailure);
      };
    },
  };
}
export type Events = ReturnType<typeof createEvents>;
