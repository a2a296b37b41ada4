import type { JsonWebKey } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCookieSignatures } from './cookie-signatures.ts';
import type { ServerDependencies } from './dependencies.ts';
import { runExchange } from './exchange.ts';
import { forwardedRequest } from './forwarded-request.ts';
import { createInteractions } from './interactions.ts';
import { createHandlers } from './provider.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { sweepArtifacts } from './store.ts';
import { relaxTokenForm } from './token-form.ts';

export type { ServerDependencies } from './dependencies.ts';
export type { Interaction, Interactions } from './interactions.ts';
export { RESOURCE_METADATA_PATH } from './metadata.ts';

/** Creates the OAuth 2.1 authorization server: authorization, tokens and their revocation. */
export function createAuthorizationServer(dependencies: ServerDependencies) {
  const { database, publicUrl, secrets, signingKeys, limitForm } = dependencies;
  const signatures = createCookieSignatures(secrets.subkeys('oauth-cookie'));
  const refreshKeys = secrets.subkeys('oauth-refresh');
  const refreshTokens = createRefreshTokens(refreshKeys, dependencies.refreshLeewaySeconds);
  const currentHandler = createHandlers({ ...dependencies, refreshTokens }, signatures);
  return {
    publicUrl,
    /**
     * Limits the authorization requests of a client address, each of which is stored; throws 429.
     */
    limit: (address: string) => limitForm('authorization', { address }),
    interactions: createInteractions(database, signatures),
    /**
     * Returns the function that handles a request whose body has been read, and ends its response.
     * Throws 503 if the keys, or what the body refers to, cannot be read.
     */
    async ready(
      path: string,
      sent: Buffer | null,
    ): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
      const handle = await currentHandler();
      const isToken = path === '/oauth/token' && sent !== null;
      const body = isToken ? await relaxTokenForm(database.pool, publicUrl, sent) : sent;
      return (request, response) =>
        runExchange(() => handle(forwardedRequest(request, body, publicUrl), response));
    },
    /** Returns the keys that verify access tokens (RFC 7517). */
    async publicKeys(): Promise<{ keys: JsonWebKey[] }> {
      const { verifying } = await signingKeys.current();
      const keys = [...verifying].map(([kid, key]) => ({
        ...key.export({ format: 'jwk' }),
        ...{ kid, alg: 'RS256', use: 'sig' },
      }));
      return { keys };
    },
    /** Deletes expired artifacts. */
    sweep: sweepArtifacts,
  };
}
export type AuthorizationServer = ReturnType<typeof createAuthorizationServer>;
