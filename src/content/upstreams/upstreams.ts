import type { Authz } from '../../authz/authz.ts';
import type { QuotaOwner } from '../../caller/principal.ts';
import { ToolFailure, ToolDeleted } from '../../catalog/catalog.ts';
import type { Queryable, Database } from '../../platform/postgres/database.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { toRowsPage } from '../../platform/postgres/sorted-rows.ts';
import type { Plans } from '../../platform/config/plans.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Space } from '../spaces/space.ts';
import type { Pins } from '../pins/pins.ts';
import type { CallOptions } from './connection.ts';
import { upstreamFailure } from './failure.ts';
import { createSealedHeaders } from './headers.ts';
import type { ConnectionTimings } from './pooled-connection.ts';
import { createUpstreamManagement, getUpstream, recordOf } from './manage.ts';
import { createPool, OutdatedToolList } from './pool.ts';
import type { PooledUpstream } from './pool.ts';
import type { UpstreamResult } from './result.ts';
import type { UpstreamRecord, UpstreamTool } from './schema.ts';
import { findUpstream, listUpstreams } from './store.ts';
import type { UpstreamRef, UpstreamRow } from './store.ts';

export interface UpstreamsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  outbound: Pick<Outbound, 'check' | 'open'>;
  plans: Plans;
  pins: Pick<Pins, 'compare' | 'itemsOf'>;
  /** Throws `limited` if the quota owner lists tools too often. */
  limitDiscovery(quota_owner: QuotaOwner): Promise<void>;
  /** Called when an upstream announced that its tools changed. */
  onToolsChanged?(upstream_id: string): void;
  /** Tests pass shorter times. */
  timings?: ConnectionTimings;
}

/** An approved tool of an upstream. */
export interface PinnedTool {
  space_id: string;
  upstream_id: string;
  tool: string;
  pin: string;
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
  const pooled = (row: UpstreamRow): PooledUpstream => ({ ...row, headers: headers.unseal(row) });

  return {
    ...createUpstreamManagement({ ...rest, database, headers, pins }),

    async list(space_id: string, query: ListQuery) {
      const rows = await listUpstreams(database.pool, space_id, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: data.map(recordOf), next_cursor };
    },

    get: async (space_id: string, id: string) =>
      recordOf(await getUpstream(database.pool, { space_id, id })),

    /** Lists the upstream's current tools for the gateway itself. Rejects with `ToolFailure` if that fails. */
    async listCurrent(ref: UpstreamRef): Promise<readonly UpstreamTool[]> {
      return pool.listCurrentTools(pooled(await getUpstream(database.pool, ref)));
    },

    /** Lists the upstream's current tools; throws 422 if that fails. */
    async discover(space: Space, id: string): Promise<readonly UpstreamTool[]> {
      await rest.limitDiscovery(space.quota_owner);
      const row = await getUpstream(database.pool, { space_id: space.id, id });
      try {
        return await pool.listCurrentTools(pooled(row));
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        const { message, details = null } = error;
        throw unprocessable('upstream_error', message, { detail: details });
      }
    },

    /**
     * Calls a tool, after `beforeCall`. Rejects with `ToolFailure` or the signal's reason. If the tool's description no
     * longer matches the pin, it quarantines the tool and rejects with `ToolDeleted`.
     */
    async call(
      { space_id, upstream_id, tool, pin }: PinnedTool,
      input: object,
      { beforeCall, ...options }: CallOptions & { beforeCall(): Promise<void> },
    ): Promise<UpstreamResult> {
      const row = await findUpstream(database.pool, { space_id, id: upstream_id });
      if (row === null) throw upstreamFailure('was removed.');
      return pool.run(pooled(row), async (connection, isRetry) => {
        const current = connection.tools.find(({ name }) => name === tool);
        if (current?.pin === pin) {
          // Connecting may have taken seconds.
          await beforeCall();
          return connection.call(tool, input, options);
        }
        // The connection may have been opened before the tool was approved: compare on a new one.
        if (!isRetry) throw new OutdatedToolList();
        if (current === undefined) throw upstreamFailure('no longer has this tool.');
        await pins.compare(row, connection.tools);
        throw new ToolDeleted('quarantined: its upstream describes it differently');
      });
    },

    /** Returns the upstreams for the export, without secrets. */
    async exportOf(db: Queryable, space_id: string, limit: number): Promise<UpstreamRecord[]> {
      const rows = await listUpstreams(db, space_id, { limit });
      return toRowsPage(rows, { limit }).data.map(recordOf);
    },

    close: pool.close,
  };
}
