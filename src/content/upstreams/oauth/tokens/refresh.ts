import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { upstreamFailure } from '../../failure.ts';
import { configure } from '../client.ts';
import { oauthErrorOf } from '../failure.ts';
import { OPENID_REQUEST_MS } from '../../../../platform/outbound/openid-fetch.ts';
import type { Sealed, Tokens } from '../sealed.ts';
import { readTokens } from './received.ts';
import { AuthorizationMissing } from './required.ts';
import {
  abandonRefresh,
  beginRefresh,
  endAuthorization,
  findAuthorization,
  saveRefreshed,
} from './store.ts';
import type { AuthorizationRow } from './store.ts';

export interface RefreshDependencies {
  pool: Queryable;
  sealed: Sealed;
  fetch: CustomFetch;
  revoke(server: AuthorizationRow['server'], tokens: Tokens): Promise<void>;
}

/** The rest of a token's life in which it is refreshed. */
const LEEWAY_SECONDS = 60;
/** The rest in which a call waits for the refresh, since the token might expire on its way. */
const URGENT_SECONDS = 5;
/** How long others wait for a gateway that died during a refresh: longer than its request takes. */
const LEASE_SECONDS = (2 * OPENID_REQUEST_MS) / 1_000;
const WAIT_MS = 3 * OPENID_REQUEST_MS;
const POLL_MS = 100;
/** OAuth errors that a repetition of the request does not change. */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/**
 * Refreshes tokens. Of all gateways one at a time sends the refresh token of an authorization, since
 * a server that rotates them takes a second use for theft. It holds a lease in the row rather than a
 * lock, which would keep a connection while the other server responds.
 */
export function createRefresh({ pool, sealed, fetch, revoke }: RefreshDependencies) {
  const running = new Map<string, Promise<AuthorizationRow>>();
  const { end, send } = createRequest({ pool, sealed, fetch, revoke });

  /** Refreshes a generation, or waits until another gateway has. */
  async function refreshOnce(row: AuthorizationRow): Promise<AuthorizationRow> {
    for (const until = performance.now() + WAIT_MS; ; await delay(POLL_MS)) {
      const refresh_id = randomUUID();
      if (await beginRefresh(pool, row, { refresh_id, seconds: LEASE_SECONDS }))
        return send(row, refresh_id);
      const current = await findAuthorization(pool, row);
      if (current === null || current.sealed === null) throw new AuthorizationMissing();
      if (current.id !== row.id || current.generation !== row.generation) return current;
      if (performance.now() > until)
        throw upstreamFailure(
          'could not be called: its token is being refreshed. Try again shortly.',
        );
    }
  }

  /** Calls of this gateway share a refresh. */
  function refresh(row: AuthorizationRow): Promise<AuthorizationRow> {
    const key = `${row.id} ${row.generation}`;
    let shared = running.get(key);
    if (shared === undefined) {
      shared = refreshOnce(row).finally(() => void running.delete(key));
      running.set(key, shared);
    }
    return shared;
  }

  return {
    refresh,
    end,
    /** Returns the authorization with a token that can be sent, refreshed if it ends soon. */
    async usable(row: AuthorizationRow): Promise<AuthorizationRow> {
      const { seconds_left } = row;
      if (seconds_left === null || seconds_left > LEEWAY_SECONDS) return row;
      if (seconds_left <= URGENT_SECONDS) return refresh(row);
      // The token is still good: no call waits for the refresh.
      if (hasRefreshToken(row, sealed)) void refresh(row).catch(() => {});
      return row;
    },
  };
}
export type Refresh = ReturnType<typeof createRefresh>;

/** Creates the request that refreshes a token, for who has begun the refresh. */
function createRequest({ pool, sealed, fetch, revoke }: RefreshDependencies) {
  async function end(row: AuthorizationRow): Promise<never> {
    await endAuthorization(pool, row);
    throw new AuthorizationMissing();
  }

  async function send(row: AuthorizationRow, refresh_id: string): Promise<AuthorizationRow> {
    const tokens = sealed.unsealTokens(row, row.sealed!);
    if (tokens.refresh_token === null) return end(row);
    try {
      const received = await client.refreshTokenGrant(
        configure(row.server, tokens, fetch),
        tokens.refresh_token,
        { resource: tokens.resource },
      );
      const { access_token, refresh_token, scopes, expires_in } = readTokens(received);
      const next: Tokens = {
        ...tokens,
        access_token,
        refresh_token: refresh_token ?? tokens.refresh_token,
      };
      const isSaved = await saveRefreshed(
        pool,
        { id: row.id, refresh_id },
        { sealed: sealed.sealTokens(row, next), expires_in, scopes },
      );
      // Disconnected in the meantime.
      if (!isSaved) await revoke(row.server, next);
    } catch (error) {
      if (FINAL.has(oauthErrorOf(error) ?? '')) return end(row);
      await abandonRefresh(pool, { id: row.id, refresh_id });
      throw error;
    }
    const saved = await findAuthorization(pool, row);
    if (saved === null || saved.sealed === null) throw new AuthorizationMissing();
    return saved;
  }

  return { end, send };
}

const hasRefreshToken = (row: AuthorizationRow, sealed: Sealed) =>
  sealed.unsealTokens(row, row.sealed!).refresh_token !== null;
