import { AsyncLocalStorage } from 'node:async_hooks';
import type { OAuthClient } from '../clients/clients.ts';
import type { LiveConnection } from './dependencies.ts';
import type { ArtifactKey, NewArtifact } from './store.ts';

/**
 * What one request to the authorization server has read and decided. A token request writes nothing
 * until oidc-provider has decided; then `settle.ts` writes all of it in one transaction. So no
 * database connection is held while it decides, and an error leaves nothing half done.
 */
export interface Exchange {
  client: OAuthClient | null;
  connections: Map<string, Promise<LiveConnection | null>>;
  /** The connection for which a token is issued. */
  connection_id: string | null;
  /** The code or refresh token that is exchanged. */
  consumed: ArtifactKey | null;
  /** The new refresh token. */
  saved: NewArtifact[];
  /** A connection to revoke: its client asked for that, or a code or refresh token was reused. */
  revoked_id: string | null;
  /** The error behind a `server_error`. */
  failure: unknown;
}

const exchanges = new AsyncLocalStorage<Exchange>();

/** Runs one request with an exchange of its own. */
export const runExchange = <T>(work: () => T): T =>
  exchanges.run(
    {
      client: null,
      connections: new Map(),
      connection_id: null,
      consumed: null,
      saved: [],
      revoked_id: null,
      failure: undefined,
    },
    work,
  );

/** Returns the exchange of the current request. */
export function currentExchange(): Exchange {
  const exchange = exchanges.getStore();
  if (exchange === undefined) throw new TypeError('There is no request to the OAuth server.');
  return exchange;
}
