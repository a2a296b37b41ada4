import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import { createBackground } from '../../../../platform/concurrency/background.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { configure } from '../client.ts';
import type { Sealed, Tokens } from '../sealed.ts';
import type { ServerMetadata } from '../server-metadata.ts';
import { forgetRevocation, takeRevocation } from './revocation-store.ts';
import type { RevocationRow } from './revocation-store.ts';

/** A server that does not respond must not delay the others for long. */
const AT_A_TIME = 4;
/** Over thirteen hours; afterwards the tokens expire by themselves. */
const MAX_ATTEMPTS = 6;

interface RevocationDependencies {
  pool: Queryable;
  sealed: Pick<Sealed, 'unsealTokens'>;
  fetch: CustomFetch;
  log: Pick<Log, 'warn'>;
}

/**
 * Creates the revocation of tokens at their authorization server (RFC 7009). The database notes them when
 * an authorization is deleted: by a person, with its upstream or its space, or because a member left.
 */
export function createRevocation({ pool, sealed, fetch, log }: RevocationDependencies) {
  const stopping = new AbortController();

  /** Rejects if the server did not confirm it. */
  async function request(server: ServerMetadata, tokens: Tokens): Promise<void> {
    // Ends the access token too, except at a server that lets it expire.
    const token = tokens.refresh_token ?? tokens.access_token;
    await client.tokenRevocation(configure(server, tokens, fetch), token);
  }

  async function isDone(row: RevocationRow): Promise<boolean> {
    let tokens: Tokens;
    try {
      tokens = sealed.unsealTokens(row, row.sealed);
    } catch {
      // The key is lost, or the row is damaged. No one can revoke these tokens.
      return true;
    }
    return request(row.server, tokens).then(
      () => true,
      () => row.attempts >= MAX_ATTEMPTS,
    );
  }

  /** Returns false if no tokens are due. */
  async function revokeNext(): Promise<boolean> {
    const row = stopping.signal.aborted ? null : await takeRevocation(pool);
    if (row === null) return false;
    if (await isDone(row)) await forgetRevocation(pool, row.id);
    return true;
  }

  async function revokeAll(): Promise<void> {
    while (await revokeNext());
  }

  const background = createBackground(
    async () => void (await Promise.all(Array.from({ length: AT_A_TIME }, revokeAll))),
    (error) =>
      log.warn({ err: error }, 'tokens of upstreams not revoked; next attempt in a minute'),
  );

  return {
    ...background,
    /** Revokes tokens that were never saved; a failure is not reported. */
    async revoke(server: ServerMetadata, tokens: Tokens): Promise<void> {
      if (server.revocation_endpoint !== undefined) await request(server, tokens).catch(() => {});
    },
    async stop() {
      stopping.abort();
      await background.stop();
    },
  };
}
export type Revocation = ReturnType<typeof createRevocation>;
