import { authenticatedBy } from '../../caller/principal.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { RedisLink } from '../../platform/redis/redis.ts';
import type { ServerInfo } from '../protocol/advertised.ts';
import type { ListenHandler } from '../protocol/handler.ts';
import { createOpenListen } from './listen.ts';
import type { ResourceVersions, Watcher } from './watch.ts';
import { createWatches } from './watches.ts';
import type { WatchDependencies, WatchHandle } from './watches.ts';

export interface ChangeFeedDependencies extends WatchDependencies {
  redis: RedisLink;
  resourceVersions: ResourceVersions;
  serverInfo: ServerInfo;
}

/** Notifies open streams of both protocol versions of changes that their credential can see. */
export interface ChangeFeed {
  watch(caller: AgentPrincipal, watcher: Watcher): WatchHandle;
  /** Rereads the credential; returns null if it is no longer valid. */
  reread(caller: AgentPrincipal): Promise<AgentPrincipal | null>;
  resourceVersions: ResourceVersions;
  /** Handles `subscriptions/listen` of 2026-07-28. */
  openListen: ListenHandler;
  start(): void;
  /** Ends every stream, so that clients reconnect to another instance. */
  stop(): void;
}

/** Creates the change feed; one comparison of state serves both protocol versions (mcp.md 6). */
export function createChangeFeed(dependencies: ChangeFeedDependencies): ChangeFeed {
  const { reread, digest, resourceVersions, redis, serverInfo, log } = dependencies;
  const watches = createWatches(dependencies);
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
    reread: async (caller) => (await reread([caller])).get(authenticatedBy(caller)) ?? null,
    resourceVersions,
    openListen,
    start: watches.start,
    stop: watches.stop,
  };
}
