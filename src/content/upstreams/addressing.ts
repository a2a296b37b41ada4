import { createDecryptedCache } from '../../platform/decrypted-cache.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { upstreamFailure } from './failure.ts';
import type { createSealedHeaders } from './headers.ts';
import type { UpstreamOAuth } from './oauth/oauth.ts';
import type { PooledUpstream } from './pool.ts';
import { findCalled, findUpstream } from './store.ts';
import type { CalledRow, UpstreamRow } from './store.ts';

/** An item that comes from an upstream. */
export interface ItemOfUpstream {
  /**
   * The item as the caller's request read it: a new object after each change in its space, also of
   * the upstream.
   */
  stored: { id: string; space_id: string };
  upstream_id: string;
}

/** An approved tool of an upstream. */
export interface PinnedTool extends ItemOfUpstream {
  tool: string;
  pin: string;
}

interface AddressingDependencies {
  pool: Database['pool'];
  headers: ReturnType<typeof createSealedHeaders>;
  oauth: Pick<UpstreamOAuth, 'runAuthorized'>;
}

/** Creates the functions that run work with an upstream's address and the headers of who calls. */
export function createAddressing({ pool, headers, oauth }: AddressingDependencies) {
  const unsealed = (row: UpstreamRow): PooledUpstream => ({ ...row, headers: headers.unseal(row) });
  const readDecrypted = createDecryptedCache<{ upstream: PooledUpstream | null }>();

  /**
   * Returns the upstream of an item, read once for each state of the item's space; null if its headers
   * depend on who calls.
   */
  const upstreamOf = ({ stored, upstream_id }: ItemOfUpstream) =>
    readDecrypted(stored.id, stored, async () => {
      const ref = { space_id: stored.space_id, id: upstream_id };
      const row = await findUpstream(pool, ref);
      if (row === null) throw upstreamFailure('was removed.');
      if (row.oauth !== null) return { value: { upstream: null }, size: 1 };
      const upstream = unsealed(row);
      const size = JSON.stringify([upstream.url, upstream.headers]).length;
      return { value: { upstream }, size };
    });

  /** Runs work with the headers of an upstream, and with the token of the person it is done for. */
  async function withUpstream<T>(
    row: CalledRow,
    person: string | null,
    work: (upstream: PooledUpstream) => Promise<T>,
  ): Promise<T> {
    const { authorization: _, sealed: _tokens, ...fields } = row;
    const upstream = unsealed(fields);
    if (row.oauth === null) return work(upstream);
    return oauth.runAuthorized(row, person, ({ authorization, key }) =>
      work({ ...upstream, headers: { ...upstream.headers, authorization }, authorized_by: key }),
    );
  }

  /** Does so with the upstream of an item; rejects with `ToolFailure` if it was removed. */
  async function withUpstreamOf<T>(
    called: ItemOfUpstream,
    person: string | null,
    work: (upstream: PooledUpstream) => Promise<T>,
  ): Promise<T> {
    const { upstream } = await upstreamOf(called);
    if (upstream !== null) return work(upstream);
    const ref = { space_id: called.stored.space_id, id: called.upstream_id };
    const row = await findCalled(pool, ref, person);
    if (row === null) throw upstreamFailure('was removed.');
    return withUpstream(row, person, work);
  }

  return { withUpstream, withUpstreamOf };
}
