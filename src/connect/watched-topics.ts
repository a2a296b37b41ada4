import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Log } from '../platform/observability/log.ts';
import type { RedisLink } from '../platform/redis/redis.ts';

/** Events by topic, such as an account, from any gateway to those who watch the topic. */
export interface WatchedTopics<Event> {
  /** Begins to learn which topics are watched on other gateways. */
  start(): void;
  /** Returns false if no topic is watched on any gateway. */
  isAnyWatched(): boolean;
  /** Publishes an event to the topic’s watchers. Never throws or waits; without watchers it does nothing. */
  publish(topic: string, eventOf: () => Event): void;
  /** Calls `receive` with each event of the topic until `ended`. */
  subscribe(topic: string, receive: (event: Event) => void, ended: AbortSignal): void;
}

const ANNOUNCE_MS = 10_000;
/** Gateways publish for this long after an announcement, which may be lost twice. */
const WATCHED_MS = 3 * ANNOUNCE_MS;
const MAX_WATCHED = 10_000;

/**
 * Creates the events of one kind of topic, called `name` in Redis. Gateways tell each other by Redis
 * which topics are watched, so that events of all others are not published.
 */
export function createWatchedTopics<Event>(
  name: string,
  schema: z.ZodType<Event>,
  { redis, log }: { redis: RedisLink; log: Log },
): WatchedTopics<Event> {
  const announcements = `${redis.prefix}${name}-watched`;
  const channelOf = (topic: string) => `${redis.prefix}${name}:${topic}`;
  const watched = new LRUCache<string, true>({ max: MAX_WATCHED, ttl: WATCHED_MS });
  const watchers = new Map<string, Set<(event: Event) => void>>();
  const logFailure = (error: unknown) =>
    log.debug({ err: error }, 'Redis failed; events of the Connect page are missing');

  redis.subscriber.on('message', (channel: string, message: string) => {
    if (channel === announcements) watched.set(message, true);
    const receivers = watchers.get(channel);
    if (receivers === undefined) return;
    // A later release may send events that this one does not know.
    const event = schema.safeParse(JSON.parse(message));
    if (event.success) for (const receive of receivers) receive(event.data);
  });

  async function announce(topic: string, ended: AbortSignal): Promise<void> {
    for (;;) {
      watched.set(topic, true);
      redis.commands.publish(announcements, topic).catch(logFailure);
      await setTimeout(ANNOUNCE_MS, undefined, { signal: ended });
    }
  }

  return {
    start: () => void redis.subscriber.subscribe(announcements).catch(logFailure),
    isAnyWatched: () => watched.size > 0,
    publish(topic, eventOf) {
      if (!watched.has(topic)) return;
      redis.commands.publish(channelOf(topic), JSON.stringify(eventOf())).catch(logFailure);
    },
    subscribe(topic, receive, ended) {
      if (ended.aborted) return;
      const channel = channelOf(topic);
      const receivers = watchers.get(channel) ?? new Set();
      watchers.set(channel, receivers.add(receive));
      if (receivers.size === 1) redis.subscriber.subscribe(channel).catch(logFailure);
      announce(topic, ended).catch(() => {});
      ended.addEventListener('abort', () => {
        receivers.delete(receive);
        if (receivers.size > 0 || watchers.get(channel) !== receivers) return;
        watchers.delete(channel);
        redis.subscriber.unsubscribe(channel).catch(logFailure);
      });
    },
  };
}
