import type { Authz } from '../../authz/authz.ts';
import type { QuotaOwner } from '../../caller/principal.ts';
import { ToolDeleted } from '../../catalog/catalog.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { toRowsPage } from '../../platform/postgres/sorted-rows.ts';
import type { Plans } from '../../platform/config/plans.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Pins } from '../pins/pins.ts';
import type { UpstreamCallOptions } from './address.ts';
import { createAddressing } from './addressing.ts';
import type { PinnedTool } from './addressing.ts';
import { createContentReads } from './content/reads.ts';
import { upstreamFailure } from './failure.ts';
import { createSealedHeaders } from './headers.ts';
import type { ConnectionTimings } from './pooled-connection.ts';
import { createUpstreamManagement, getUpstream, recordOf } from './manage.ts';
import { createOffers } from './offers.ts';
import { createUpstreamOAuth } from './oauth/oauth.ts';
import type { UpstreamOAuthDependencies } from './oauth/oauth.ts';
import { createPool, OutdatedList } from './pool.ts';
import type { UpstreamResult } from './result.ts';
import type { UpstreamRecord } from './schema.ts';
import { listUpstreams } from './store.ts';

export interface UpstreamsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit' | 'editContent'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  outbound: Pick<Outbound, 'check' | 'fetch' | 'open' | 'receive'>;
  config: UpstreamOAuthDependencies['config'];
  log: UpstreamOAuthDependencies['log'];
  plans: Plans;
  pins: Pick<Pins, 'compare' | 'usersOf' | 'content'>;
  /** Throws `limited` if the quota owner lists tools too often. */
  limitDiscovery(quota_owner: QuotaOwner): Promise<void>;
  /** Called when an upstream announced that its tools, prompts or resources changed. */
  onListChanged?(upstream_id: string): void;
  /** Tests pass shorter times. */
  timings?: ConnectionTimings;
}

export type Upstreams = ReturnType<typeof createUpstreams>;

/** Manages upstream MCP servers, lists their tools and calls them. */
export function createUpstreams({ database, secrets, pins, ...rest }: UpstreamsDependencies) {
  const headers = createSealedHeaders(secrets);
  const pool = createPool({
    outbound: rest.outbound,
    onOpened: pins.compare,
    onListChanged: ({ id }) => rest.onListChanged?.(id),
    ...(rest.timings ? { timings: rest.timings } : {}),
  });
  const oauth = createUpstreamOAuth({ ...rest, database, secrets });
  const { withUpstream, withUpstreamOf } = createAddressing({
    pool: database.pool,
    headers,
    oauth,
  });

  return {
    ...createUpstreamManagement({ ...rest, database, headers, pins, oauth }),
    oauth,

    async list(space_id: string, query: ListQuery) {
      const rows = await listUpstreams(database.pool, space_id, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: data.map(recordOf), next_cursor };
    },

    get: async (space_id: string, id: string) =>
      recordOf(await getUpstream(database.pool, { space_id, id })),

    ...createOffers({ ...rest, db: database.pool, pool, pins, withUpstream }),
    ...createContentReads({ pool, pins: pins.content, withUpstreamOf }),

    /**
     * Calls a tool, after `beforeCall`. Rejects with `ToolFailure` or the signal's reason. If the tool's description no
     * longer matches the pin, it quarantines the tool and rejects with `ToolDeleted`.
     */
    async call(
      called: PinnedTool,
      input: object,
      { beforeCall, person, ...options }: UpstreamCallOptions,
    ): Promise<UpstreamResult> {
      const { tool, pin } = called;
      return withUpstreamOf(called, person, (upstream) =>
        pool.run(upstream, async (connection, isRetry) => {
          const current = connection.find(tool);
          if (current?.pin === pin) {
            // Connecting may have taken seconds.
            await beforeCall();
            return connection.call(tool, input, options);
          }
          // The connection may have been opened before the tool was approved: compare on a new one.
          if (!isRetry) throw new OutdatedList();
          if (current === undefined) throw upstreamFailure('no longer has this tool.');
          await pins.compare(upstream, connection.tools);
          throw new ToolDeleted('quarantined: its upstream describes it differently');
        }),
      );
    },

    /** Returns the upstreams for the export, without secrets. */
    async exportOf(db: Queryable, space_id: string, limit: number): Promise<UpstreamRecord[]> {
      const rows = await listUpstreams(db, space_id, { limit });
      return toRowsPage(rows, { limit }).data.map(recordOf);
    },

    close: pool.close,
  };
}
