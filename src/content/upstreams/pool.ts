import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { UpstreamAddress } from './address.ts';
import { connectUpstream, SessionLost } from './connection.ts';
import type { UpstreamConnection } from './connection.ts';
import { upstreamFailure } from './failure.ts';
import { PooledConnection } from './pooled-connection.ts';
import type { ConnectionTimings } from './pooled-connection.ts';
import type { UpstreamTool } from './schema.ts';

/** One version of a space's upstream; a connection is never reused for another version. */
export interface PooledUpstream extends UpstreamAddress {
  id: string;
  version: number;
  /** The authorization that its headers have: a connection serves no other. */
  authorized_by?: string;
}

export type Work<T> = (connection: UpstreamConnection, isRetry: boolean) => Promise<T>;

export interface PoolDependencies {
  outbound: Pick<Outbound, 'open' | 'receive'>;
  /** Called with the tools of every new connection before its first use. */
  onOpened(upstream: PooledUpstream, tools: readonly UpstreamTool[]): Promise<void>;
  /** Called when an upstream announces that a list changed, at most once a connection. */
  onListChanged?(upstream: PooledUpstream): void;
  timings?: ConnectionTimings;
}

/** The connection's list may be too old for this call: retry on a new connection. */
export class OutdatedList extends Error {}

const MAX_CONNECTIONS = 500;
const MAX_PER_SPACE = 20;
const TIMINGS: ConnectionTimings = { idleMs: 60_000, lifeMs: 300_000 };

/** Pools connections. Calls of an upstream share one until it is old, idle, stale or failed. */
export function createPool({
  outbound,
  onOpened,
  onListChanged,
  timings = TIMINGS,
}: PoolDependencies) {
  /** Connections that new calls use, by upstream and version. */
  const current = new Map<string, PooledConnection>();
  /** All open connections, with the space they belong to. */
  const all = new Map<PooledConnection, string>();

  async function connect(upstream: PooledUpstream): Promise<UpstreamConnection> {
    const connection = await connectUpstream(upstream, outbound, undefined, () =>
      onListChanged?.(upstream),
    );
    try {
      await onOpened(upstream, connection.tools);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  function usableConnection(upstream: PooledUpstream): PooledConnection {
    const key = keyOf(upstream);
    const known = current.get(key);
    if (known?.isUsable) return known;
    known?.retire();
    makeRoom(all, upstream.space_id);
    const pooled = new PooledConnection(connect(upstream), timings, () => {
      all.delete(pooled);
      if (current.get(key) === pooled) current.delete(key);
    });
    all.set(pooled, upstream.space_id);
    current.set(key, pooled);
    return pooled;
  }

  const runOnce = async <T>(upstream: PooledUpstream, work: Work<T>, isRetry = false): Promise<T> =>
    usableConnection(upstream).use((connection) => work(connection, isRetry));

  return {
    /** Retries once after a lost session or an outdated list; safe, since nothing was executed. */
    run: <T>(upstream: PooledUpstream, work: Work<T>) =>
      runOnce(upstream, work).catch((error: unknown) => {
        if (error instanceof SessionLost || error instanceof OutdatedList)
          return runOnce(upstream, work, true).catch(asFailure);
        throw error;
      }),

    /** Runs work that lists something on a new connection: an existing one may have outdated lists. */
    runOnNew<T>(upstream: PooledUpstream, work: Work<T>): Promise<T> {
      current.get(keyOf(upstream))?.retire();
      return runOnce(upstream, work);
    },

    async close(): Promise<void> {
      const open = [...all.keys()];
      all.clear();
      current.clear();
      await Promise.all(open.map((pooled) => pooled.close()));
    },
  };
}

const keyOf = ({ id, version, authorized_by = '' }: PooledUpstream) =>
  `${id} ${version} ${authorized_by}`;

function asFailure(error: unknown): never {
  throw error instanceof SessionLost ? upstreamFailure('lost its session repeatedly.') : error;
}

/**
 * At capacity, retires an idle connection (one of the same space if that space is at its limit).
 * Throws `ToolFailure` if none is idle.
 */
function makeRoom(all: ReadonlyMap<PooledConnection, string>, space_id: string): void {
  const spaceConnections = [...all].filter(([, owner]) => owner === space_id);
  const isFull = all.size >= MAX_CONNECTIONS || spaceConnections.length >= MAX_PER_SPACE;
  if (!isFull) return;
  const [idle] =
    (spaceConnections.length >= MAX_PER_SPACE ? spaceConnections : [...all]).find(
      ([connection]) => connection.isIdle,
    ) ?? [];
  if (idle === undefined)
    throw upstreamFailure('was not called: too many connections are open. Try again shortly.');
  idle.retire();
}
