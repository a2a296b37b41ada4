import type { Authz } from '../../authz/authz.ts';
import type { QuotaOwner } from '../../caller/principal.ts';
import { ToolFailure, ToolDeleted } from '../../catalog/catalog.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { toRowsPage } from '../../platform/postgres/sorted-rows.ts';
import type { Plans } from '../../platform/config/plans.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Space } from '../spaces/space.ts';
import type { Pins } from '../pins/pins.ts';
import { createAddressing } from './addressing.ts';
import type { PinnedTool } from './addressing.ts';
import type { CallOptions } from './connection.ts';
import { upstreamFailure } from './failure.ts';
import { createSealedHeaders } from './headers.ts';
import type { ConnectionTimings } from './pooled-connection.ts';
import { createUpstreamManagement, getUpstream, recordOf } from './manage.ts';
import { createUpstreamOAuth } from './oauth/oauth.ts';
import type { UpstreamOAuthDependencies } from './oauth/oauth.ts';
import { createPool, OutdatedToolList } from './pool.ts';
import type { UpstreamResult } from './result.ts';
import type { UpstreamRecord, UpstreamTool } from './schema.ts';
import { findCalled, listUpstreams } from './store.ts';
import type { UpstreamRef } from './store.ts';

export interface UpstreamsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit' | 'editContent'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  outbound: Pick<Outbound, 'check' | 'fetch' | 'open' | 'receive'>;
  config: UpstreamOAuthDependencies['config'];
  log: UpstreamOAuthDependencies['log'];
  plans: Plans;
  pins: Pick<Pins, 'compare' | 'itemsOf'>;
  /** Throws `limited` if the quota owner lists tools too often. */
  limitDiscovery(quota_owner: QuotaOwner): Promise<void>;
  /** Called when an upstream announced that its tools changed. */
  onToolsChanged?(upstream_id: string): void;
  /** Tests pass shorter times. */
  timings?: ConnectionTimings;
}

interface UpstreamCallOptions extends CallOptions {
  /** The account that the call acts for; null for a credential of an organization. */
  person: string | null;
  beforeCall(): Promise<void>;
}

export type Upstreams = ReturnType<typeof createUpstreams>;

/** Manages upstream MCP servers, lists their tools and calls them. */
export function createUpstreams({ database, secrets, pins, ...rest }: UpstreamsDependencies) {
  const headers = createSealedHeaders(secrets);
  const pool = createPool({
    outbound: rest.outbound,
    onOpened: pins.compare,
    onToolsChanged: ({ id }) => rest.onToolsChanged?.(id),
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

    /**
     * Lists the upstream's current tools for the gateway itself, which acts for no person. Rejects
     * with `ToolFailure` if that fails.
     */
    async listCurrent(ref: UpstreamRef): Promise<readonly UpstreamTool[]> {
      const row = await findCalled(database.pool, ref, null);
      if (row === null) throw absent('the space has no such upstream');
      return withUpstream(row, null, pool.listCurrentTools);
    },

    /** Lists the upstream's current tools; throws 422 if that fails. */
    async discover(space: Space, id: string): Promise<readonly UpstreamTool[]> {
      await rest.limitDiscovery(space.quota_owner);
      const row = await findCalled(database.pool, { space_id: space.id, id }, space.person);
      if (row === null) throw absent('the space has no such upstream');
      try {
        return await withUpstream(row, space.person, pool.listCurrentTools);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        const { code, message, details = null } = error;
        throw unprocessable(code, message, { detail: details });
      }
    },

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
          if (!isRetry) throw new OutdatedToolList();
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
