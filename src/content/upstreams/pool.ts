import type { Outbound } from '../../platform/outbound/outbound.ts';
import { connectUpstream, SessionLost } from './connection.ts';
import type { UpstreamAddress, UpstreamConnection } from './connection.ts';
import { upstreamFailure } from './failure.ts';
import { KeptConnection } from './kept-connection.ts';
import type { KeptTimings } from './kept-connection.ts';
import type { UpstreamTool } from './schema.ts';

/** One version of an upstream of one space: another version is never met on its connection. */
export interface PooledUpstream extends UpstreamAddress {
  id: string;
  space_id: string;
  version: number;
}

export interface PoolDependencies {
  outbound: Pick<Outbound, 'open'>;
  /** Told the tools of every new connection before a call is made on it. */
  opened(upstream: PooledUpstream, tools: readonly UpstreamTool[]): Promise<void>;
  timings?: KeptTimings;
}

/** What the connection knows of the tools may be older than what is asked of it. */
export class Outdated extends Error {}

const MOST = 500;
const MAX_OF_SPACE = 20;
const TIMINGS: KeptTimings = { idleMs: 60_000, lifeMs: 300_000 };

/** Connections to upstreams: one for all calls of an upstream, until it is old, idle or broken. */
export function createPool({ outbound, opened, timings = TIMINGS }: PoolDependencies) {
  /** Those that new calls meet. */
  const current = new Map<string, KeptConnection>();
  /** Those that are open, and whose they are. */
  const all = new Map<KeptConnection, string>();

  async function connect(upstream: PooledUpstream): Promise<UpstreamConnection> {
    const connection = await connectUpstream(upstream, outbound);
    try {
      await opened(upstream, connection.tools);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  function usable(upstream: PooledUpstream): KeptConnection {
    const key = keyOf(upstream);
    const known = current.get(key);
    if (known?.isUsable) return known;
    known?.retire();
    makeRoom(all, upstream.space_id);
    const kept = new KeptConnection(connect(upstream), timings, () => {
      all.delete(kept);
      if (current.get(key) === kept) current.delete(key);
    });
    all.set(kept, upstream.space_id);
    current.set(key, kept);
    return kept;
  }

  type Work<T> = (connection: UpstreamConnection, isAgain: boolean) => Promise<T>;
  const once = async <T>(upstream: PooledUpstream, work: Work<T>, isAgain = false): Promise<T> =>
    usable(upstream).use((connection) => work(connection, isAgain));

  return {
    /** A session that is lost or outdated is begun again, once: in that one nothing was done. */
    run: <T>(upstream: PooledUpstream, work: Work<T>) =>
      once(upstream, work).catch((error: unknown) => {
        if (error instanceof SessionLost || error instanceof Outdated)
          return once(upstream, work, true).catch(asFailure);
        throw error;
      }),

    /** The tools as they are now: what the connection in use knows may be old. */
    look(upstream: PooledUpstream): Promise<readonly UpstreamTool[]> {
      current.get(keyOf(upstream))?.retire();
      return once(upstream, async ({ tools }) => tools);
    },

    async close(): Promise<void> {
      const open = [...all.keys()];
      all.clear();
      current.clear();
      await Promise.all(open.map((kept) => kept.close()));
    },
  };
}

const keyOf = ({ id, version }: PooledUpstream) => `${id} ${version}`;

function asFailure(error: unknown): never {
  throw error instanceof SessionLost ? upstreamFailure('does not keep its session.') : error;
}

/** Where there are too many, one that nobody uses goes; one of the same space, if that has too many. */
function makeRoom(all: ReadonlyMap<KeptConnection, string>, space_id: string): void {
  const own = [...all].filter(([, owner]) => owner === space_id);
  const isFull = all.size >= MOST || own.length >= MAX_OF_SPACE;
  if (!isFull) return;
  const [idle] = (own.length >= MAX_OF_SPACE ? own : [...all]).find(([one]) => one.isIdle) ?? [];
  if (idle === undefined)
    throw upstreamFailure('was not asked: too many upstreams are in use. Try again shortly.');
  idle.retire();
}
