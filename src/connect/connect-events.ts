import type { ServerEvent } from '../caller/events.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import { addressBucket } from '../platform/http/address-bucket.ts';
import type { Log } from '../platform/observability/log.ts';
import type { RedisLink } from '../platform/redis/redis.ts';
import { createEventQueue } from './event-queue.ts';
import { ConnectEvent, DiscoveryEvent } from './schema.ts';
import { createWatchedTopics } from './watched-topics.ts';

/** Live events of an account's credentials over MCP, for the Connect page. */
export interface ConnectEvents {
  start(): void;
  /** Tells the person of the credential who watches, on any gateway. Never throws or waits. */
  report(caller: AgentPrincipal, event: Pick<ConnectEvent, 'kind' | 'name'>): void;
  /** Tells the person of a credential that is not valid any more that it was used. */
  reportInvalid(caller: AgentPrincipal): void;
  /** Tells those who watch at a client's address that it sent no credential. */
  reportWithoutCredential(addressOf: () => string): void;
  /** Yields what credentials of the account, and clients at the address, do until `ended`. */
  watch(
    watcher: { account_id: string; address: string },
    ended: AbortSignal,
  ): AsyncIterable<ServerEvent>;
}

const MAX_NAME = 200;

export function createConnectEvents(redis: RedisLink, log: Log): ConnectEvents {
  const accounts = createWatchedTopics('connect', ConnectEvent, { redis, log });
  const addresses = createWatchedTopics('connect-address', DiscoveryEvent, { redis, log });

  function reportTo(
    { person, credential }: AgentPrincipal,
    { kind, name, status }: Pick<ConnectEvent, 'kind' | 'name' | 'status'>,
  ): void {
    if (person === null) return;
    accounts.publish(person, () => ({
      ...{ at: new Date().toISOString(), credential_id: credential.id, kind, status },
      name: name?.slice(0, MAX_NAME) ?? null,
    }));
  }

  return {
    start() {
      accounts.start();
      addresses.start();
    },
    report: (caller, event) => reportTo(caller, { ...event, status: null }),
    reportInvalid: (caller) =>
      reportTo(caller, { kind: 'refused', name: 'invalid_credential', status: 401 }),
    reportWithoutCredential(addressOf) {
      if (!addresses.isAnyWatched()) return;
      addresses.publish(addressBucket(addressOf()), () => ({ at: new Date().toISOString() }));
    },
    async *watch({ account_id, address }, ended) {
      const queue = createEventQueue<ServerEvent>(ended);
      const left = new AbortController();
      const until = AbortSignal.any([ended, left.signal]);
      const add = (event: string) => (data: object) => queue.add({ event, data });
      accounts.subscribe(account_id, add('request'), until);
      addresses.subscribe(addressBucket(address), add('discovery_without_credential'), until);
      try {
        yield { event: 'open', data: {} };
        yield* queue.entries();
      } finally {
        left.abort();
      }
    },
  };
}
