import type { ServerEvent } from '../caller/events.ts';
import type { AgentPrincipal } from '../caller/principal.ts';
import { addressBucket } from '../platform/http/address-bucket.ts';
import type { Log } from '../platform/observability/log.ts';
import type { RedisLink } from '../platform/redis/redis.ts';
import { createEventQueue } from './event-queue.ts';
import { ConnectEvent, DiscoveryEvent } from './schema.ts';
import { createWatchedTopics } from './watched-topics.ts';

const MAX_NAME = 200;

/** Creates the live events of an account's credentials over MCP, for the Connect page. */
export function createConnectEvents(redis: RedisLink, log: Log) {
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
    /** Tells the person of the credential who watches, on any gateway. Never throws or waits. */
    report: (caller: AgentPrincipal, event: Pick<ConnectEvent, 'kind' | 'name'>) =>
      reportTo(caller, { ...event, status: null }),
    /** Tells the person of a credential that it was used, but is not valid, or not there and then. */
    reportInvalid: (caller: AgentPrincipal, reason: string = 'invalid_credential') =>
      reportTo(caller, { kind: 'refused', name: reason, status: 401 }),
    /** Tells those who watch at a client's address that it sent no credential. */
    reportWithoutCredential(addressOf: () => string) {
      if (!addresses.isAnyWatched()) return;
      addresses.publish(addressBucket(addressOf()), () => ({ at: new Date().toISOString() }));
    },
    /** Yields what credentials of the account, and clients at the address, do until `ended`. */
    async *watch(
      { account_id, address }: { account_id: string; address: string },
      ended: AbortSignal,
    ) {
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
export type ConnectEvents = ReturnType<typeof createConnectEvents>;
