import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ServerEvent } from '../caller/events.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import type { Log } from '../platform/observability/log.ts';
import type { RedisLink } from '../platform/redis/redis.ts';
import { createEventQueue } from './event-queue.ts';
import { ConnectEvent } from './schema.ts';

/** Live events of an account's credentials over MCP, for the Connect page. */
export interface ConnectEvents {
  start(): void;
  /** Tells the person of the credential who watches, on any gateway. Never throws or waits. */
  report(caller: AgentPrincipal, event: Pick<ConnectEvent, 'kind' | 'name'>): void;
  /** Yields what credentials of the account do until `ended`. */
  watch(account_id: string, ended: AbortSignal): AsyncIterable<ServerEvent>;
}

const ANNOUNCE_MS = 10_000;
/** Gateways report for this long after an announcement, which may be lost twice. */
const WATCHED_MS = 3 * ANNOUNCE_MS;
const MAX_WATCHED = 10_000;
const MAX_NAME = 200;

/**
 * Creates the events. Gateways tell each other by Redis which accounts are watched, so that a call
 * of any other account costs nothing.
 */
export function createConnectEvents(redis: RedisLink, log: Log): ConnectEvents {
  const announcements = `${redis.prefix}connect-watched`;
  const channelOf = (account_id: string) => `${redis.prefix}connect:${account_id}`;
  const watched = new LRUCache<string, true>({ max: MAX_WATCHED, ttl: WATCHED_MS });
  const watchers = new Map<string, Set<(event: ConnectEvent) => void>>();
  const logFailure = (error: unknown) =>
    log.debug({ err: error }, 'Redis failed; events of the Connect page are missing');

  redis.subscriber.on('message', (channel: string, message: string) => {
    if (channel === announcements) watched.set(message, true);
    const receivers = watchers.get(channel);
    if (receivers === undefined) return;
    const event = ConnectEvent.parse(JSON.parse(message));
    for (const receive of receivers) receive(event);
  });

  async function announce(account_id: string, ended: AbortSignal): Promise<void> {
    for (;;) {
      watched.set(account_id, true);
      redis.commands.publish(announcements, account_id).catch(logFailure);
      await setTimeout(ANNOUNCE_MS, undefined, { signal: ended });
    }
  }

  function subscribe(account_id: string, receive: (event: ConnectEvent) => void): () => void {
    const channel = channelOf(account_id);
    const receivers = watchers.get(channel) ?? new Set();
    watchers.set(channel, receivers.add(receive));
    if (receivers.size === 1) redis.subscriber.subscribe(channel).catch(logFailure);
    return () => {
      receivers.delete(receive);
      if (receivers.size > 0 || watchers.get(channel) !== receivers) return;
      watchers.delete(channel);
      redis.subscriber.unsubscribe(channel).catch(logFailure);
    };
  }

  return {
    start: () => void redis.subscriber.subscribe(announcements).catch(logFailure),
    report({ person, credential }, { kind, name }) {
      if (person === null || !watched.has(person)) return;
      const event: ConnectEvent = {
        at: new Date().toISOString(),
        credential_id: credential.id,
        kind,
        name: name?.slice(0, MAX_NAME) ?? null,
      };
      redis.commands.publish(channelOf(person), JSON.stringify(event)).catch(logFailure);
    },
    async *watch(account_id, ended) {
      const queue = createEventQueue<ConnectEvent>(ended);
      const unsubscribe = subscribe(account_id, queue.add);
      announce(account_id, ended).catch(() => {});
      try {
        yield { event: 'open', data: {} };
        for await (const event of queue.entries()) yield { event: 'request', data: event };
      } finally {
        unsubscribe();
      }
    },
  };
}
