import type { EventEmitter } from 'node:events';
import { Provider } from 'oidc-provider';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import { asRefusal } from '../../platform/errors/outage.ts';
import { isRegisteredUri } from '../clients/clients.ts';
import type { KeySet } from '../signing-keys/signing-keys.ts';
import { configurationOf } from './configuration.ts';
import type { CookieSignatures } from './cookie-signatures.ts';
import type { ServerParts } from './dependencies.ts';
import { currentExchange } from './exchange.ts';
import { dropSessionCookie, nameUnauthorizedClient, relaxAuthorization } from './request-rules.ts';
import { respondToFailure, settle } from './settle.ts';

/** Handles a request, and ends its response. */
export type Handler = ReturnType<Provider['callback']>;

/** Creates the function that returns the handler of oidc-provider with the current keys. */
export function createHandlers(
  parts: ServerParts,
  signatures: CookieSignatures,
): () => Promise<Handler> {
  let cached: { keys: KeySet; handler: Handler } | null = null;
  return async () => {
    const keys = await parts.signingKeys.current();
    if (cached?.keys !== keys)
      cached = { keys, handler: createProvider(parts, keys, signatures).callback() };
    return cached.handler;
  };
}

function createProvider(
  parts: ServerParts,
  { signing }: KeySet,
  signatures: CookieSignatures,
): Provider {
  const { publicUrl, clients, log } = parts;
  const provider = new Provider(publicUrl, configurationOf(parts, signing, signatures));
  // Its URLs then come from the headers that `server.ts` sets.
  provider.proxy = true;
  replaceMethods(provider, clients);
  provider.on('server_error', (_ctx, error) => {
    currentExchange().failure = error;
  });
  // Called for what the middleware below did not catch; a lost connection is the client's.
  const koa: EventEmitter = provider;
  koa.on('error', (error: unknown) => {
    if (asRefusal(error) === null)
      log.error({ err: error }, 'OAuth request failed with an internal error');
  });
  // Clients are not told the reason: it would help to guess.
  const logReason = (_ctx: unknown, { error, error_detail }: errors.OIDCProviderError) =>
    log.info(
      { client_id: currentExchange().client?.id, error, reason: error_detail },
      'OAuth request refused',
    );
  provider.on('grant.error', logReason);
  provider.on('authorization.error', logReason);
  provider.on('revocation.error', logReason);
  provider.use(async (context, next) => {
    const ctx = context as KoaContextWithOIDC;
    if (ctx.path === '/oauth/authorize') relaxAuthorization(ctx, publicUrl);
    // A decided request is resumed as it was stored; the library fails on a client's id here.
    else if (ctx.path.startsWith('/oauth/authorize/')) ctx.query = {};
    await next().catch((error: unknown) => {
      currentExchange().failure = error;
    });
    dropSessionCookie(ctx);
    nameUnauthorizedClient(ctx);
    const { failure } = currentExchange();
    if (failure !== undefined) return respondToFailure(parts, ctx, failure);
    await settle(parts, ctx).catch((error: unknown) => respondToFailure(parts, ctx, error));
  });
  return provider;
}

/** Methods of oidc-provider's client that its types do not mention. */
interface ClientMethods {
  prototype: {
    compareClientSecret(secret: string): Promise<boolean>;
    redirectUriAllowed(uri: string): boolean;
  };
  Schema: { prototype: { redirectUris(): void } };
}

/** Fields of a client that these methods read. */
interface Registered {
  clientId: string;
  redirectUris: readonly string[];
}

function replaceMethods(provider: Provider, clients: ServerParts['clients']): void {
  const { prototype, Schema } = provider.Client as unknown as ClientMethods;
  prototype.compareClientSecret = function compareHash(this: Registered, secret) {
    return clients.secretMatches(this.clientId, secret);
  };
  prototype.redirectUriAllowed = function isRegistered(this: Registered, uri) {
    return isRegisteredUri(this.redirectUris, uri);
  };
  // Registration decides which redirect URIs a client may have.
  Schema.prototype.redirectUris = () => {};
}
