import type { JsonWebKey } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../../platform/postgres/database.ts';
import { createCookieSignatures } from './cookie-signatures.ts';
import type { ServerDependencies } from './dependencies.ts';
import { runExchange } from './exchange.ts';
import { forwardedRequest } from './forwarded-request.ts';
import { createInteractions } from './interactions.ts';
import type { Interactions } from './interactions.ts';
import { createHandlers } from './provider.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { sweepArtifacts } from './store.ts';
import { relaxTokenForm } from './token-form.ts';

export type { ServerDependencies } from './dependencies.ts';
export type { Interaction, Interactions } from './interactions.ts';
export { RESOURCE_METADATA_PATH } from './metadata.ts';

/** The OAuth 2.1 authorization server: authorization, tokens and their revocation. */
export interface AuthorizationServer {
  /**
   * Returns the function that handles a request whose body has been read, and ends its response.
   * Throws 503 if the keys, or what the body refers to, cannot be read.
   */
  ready(
    path: string,
    body: Buffer | null,
  ): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>>;
  /** Limits the authorization requests of a client address, each of which is stored; throws 429. */
  limit(address: string): Promise<void>;
  interactions: Interactions;
  /** Returns the keys that verify access tokens (RFC 7517). */
  publicKeys(): Promise<{ keys: JsonWebKey[] }>;
  /** Deletes expired artifacts. */
  sweep(connection: Connection): Promise<void>;
  publicUrl: string;
}

export function createAuthorizationServer(dependencies: ServerDependencies): AuthorizationServer {
  const { database, publicUrl, secrets, signingKeys, limitForm } = dependencies;
  const signatures = createCookieSignatures(secrets.subkeys('oauth-cookie'));
  const refreshKeys = secrets.subkeys('oauth-refresh');
  const refreshTokens = createRefreshTokens(refreshKeys, dependencies.refreshLeewaySeconds);
  const currentHandler = createHandlers({ ...dependencies, refreshTokens }, signatures);
  return {
    publicUrl,
    limit: (address) => limitForm('authorization', { address }),
    interactions: createInteractions(database, signatures),
    async ready(path, sent) {
      const handle = await currentHandler();
      const isToken = path === '/oauth/token' && sent !== null;
      const body = isToken ? await relaxTokenForm(database.pool, publicUrl, sent) : sent;
      return (request, response) =>
        runExchange(() => handle(forwardedRequest(request, body, publicUrl), response));
    },
    async publicKeys() {
      const { verifying } = await signingKeys.current();
      const keys = [...verifying].map(([kid, key]) => ({
        ...key.export({ format: 'jwk' }),
        ...{ kid, alg: 'RS256', use: 'sig' },
      }));
      return { keys };
    },
    sweep: sweepArtifacts,
  };
}
