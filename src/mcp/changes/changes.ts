import { authenticatedBy } from '../../caller/principal.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { RedisLink } from '../../platform/redis/redis.ts';
import type { ServerInfo } from '../protocol/advertised.ts';
import { createOpenListen } from './listen.ts';
import type { ResourceVersions } from './watch.ts';
import { createWatches } from './watches.ts';
import type { WatchDependencies } from './watches.ts';

export interface ChangeFeedDependencies extends WatchDependencies {
  redis: RedisLink;
  resourceVersions: ResourceVersions;
  serverInfo: ServerInfo;
}

/**
 * Notifies open streams of changes that their credential can see; one comparison of state serves
 * both protocol versions (mcp.md 6).
 */
export function createChangeFeed(dependencies: ChangeFeedDependencies) {
  const { reread, digest, resourceVersions, redis, serverInfo, log } = dependencies;
  const watches = createWatches(dependencies);
  /** Handles `subscriptions/listen` of 2026-07-28. */
  const openListen = createOpenListen({
    watch: watches.add,
    digest,
    resourceVersions,
    redis,
    serverInfo,
    log,
  });
  return {
    watch: watches.add,
    /** Rereads the credential; returns null if it is no longer valid. */
    reread: async (caller: AgentPrincipal) =>
      (await reread([caller])).get(authenticatedBy(caller)) ?? null,
    resourceVersions,
    openListen,
    start: watches.start,
    /** Ends every stream, so that clients reconnect to another instance. */
    stop: watches.stop,
  };
}
export type ChangeFeed = ReturnType<typeof createChangeFeed>;
