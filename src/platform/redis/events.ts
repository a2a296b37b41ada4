import type { Log } from '../observability/log.ts';
import type { RedisLink } from './redis.ts';

/** Wake-ups across instances: "something may have changed for X", without content. */
export interface Events {
  /** Never throws: if a wake-up is lost, the next read finds the change, within a second. */
  publish(topic: string): void;
  /**
   * Calls `wake` on each publish; returns a function that unsubscribes. Redis is only subscribed
   * while in use.
   */
  subscribe(topic: string, wake: () => void): () => void;
}

export function createEvents(redis: RedisLink, log: Log): Events {
  const listeners = new Map<string, Set<() => void>>();
  const channel = (topic: string) => `${redis.prefix}chg:${topic}`;
  const logFailure = (error: unknown) =>
    log.debug({ err: error }, 'Redis publish or subscribe failed; changes are found by polling');
  redis.subscriber.on('message', (name: string) => {
    for (const wake of listeners.get(name) ?? []) wake();
  });
  return {
    publish(topic) {
      redis.commands.publish(channel(topic), '').catch(logFailure);
    },
    subscribe(topic, wake) {
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
