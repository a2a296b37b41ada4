import * as client from 'openid-client';
import type { CustomFetch, ServerMetadata } from 'openid-client';
import { OPENID_REQUEST_MS } from '../../platform/outbound/openid-fetch.ts';
import { readPerson } from './person.ts';
import type { CallbackParameters, FlowSecrets, Provider, ProviderClient } from './provider.ts';

// `platform/outbound/outbound.ts` restricts plain http to hosts the operator allowed.
const allowHttp = client.allowInsecureRequests;
const CACHE_MS = 3_600_000;
const TIMEOUT_SECONDS = OPENID_REQUEST_MS / 1_000;

export type OpenIdClient = ProviderClient & { id: string; name: string; issuer: string };

/** Creates a provider for any OpenID Connect issuer that supports Discovery 1.0. */
export function createOpenId(settings: OpenIdClient, fetch: CustomFetch): Provider {
  const metadata = createCached(CACHE_MS, () => discover(settings, fetch));

  return {
    id: settings.id,
    name: settings.name,
    authorizationUrl: async (secrets) =>
      buildSignInUrl(configure(settings, await metadata(), fetch), settings, secrets),
    async identify(callback, { clock_skew, ...flow }) {
      const configuration = configure(settings, await metadata(), fetch, clock_skew);
      const { issuer } = configuration.serverMetadata();
      return readPerson(issuer, await redeem(configuration, settings, callback, flow));
    },
  };
}

/** Reads the discovery document of an issuer. */
export async function discover(
  { issuer, client_id }: Pick<OpenIdClient, 'issuer' | 'client_id'>,
  fetch: CustomFetch,
): Promise<ServerMetadata> {
  const configuration = await client.discovery(new URL(issuer), client_id, undefined, undefined, {
    [client.customFetch]: fetch,
    timeout: TIMEOUT_SECONDS,
    execute: [allowHttp],
  });
  return configuration.serverMetadata();
}

/** Returns the URL of the issuer's sign-in. */
export async function buildSignInUrl(
  configuration: client.Configuration,
  { redirect_uri }: Pick<ProviderClient, 'redirect_uri'>,
  { state, nonce, verifier }: FlowSecrets,
): Promise<URL> {
  return client.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
}

/**
 * Redeems the code and verifies the ID token. Returns its claims, with those of the userinfo
 * endpoint if it lacks the one with the address.
 */
export async function redeem(
  configuration: client.Configuration,
  { redirect_uri }: Pick<ProviderClient, 'redirect_uri'>,
  callback: CallbackParameters,
  { nonce, verifier, emailClaim = 'email' }: Omit<FlowSecrets, 'state'> & { emailClaim?: string },
): Promise<Readonly<Record<string, unknown>>> {
  // Verifies the ID token's signature. TLS already authenticates the token endpoint; the extra
  // check costs one request.
  client.enableNonRepudiationChecks(configuration);
  const tokens = await client.authorizationCodeGrant(
    configuration,
    callbackUrl(redirect_uri, callback),
    {
      expectedState: callback.state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    },
  );
  const claims = tokens.claims()!;
  const { userinfo_endpoint } = configuration.serverMetadata();
  const userinfo =
    claims[emailClaim] === undefined && userinfo_endpoint !== undefined
      ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : {};
  return { ...claims, ...userinfo };
}

/** Creates a configuration for one use, because it caches keys and has a fixed clock skew. */
export function configure(
  { client_id, client_secret }: ProviderClient,
  server: ServerMetadata,
  fetch: CustomFetch,
  clockSkew = 0,
): client.Configuration {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_post')
    ? client.ClientSecretPost(client_secret)
    : client.ClientSecretBasic(client_secret);
  const configuration = new client.Configuration(
    server,
    client_id,
    { [client.clockSkew]: clockSkew },
    authentication,
  );
  configuration[client.customFetch] = fetch;
  configuration.timeout = TIMEOUT_SECONDS;
  allowHttp(configuration);
  return configuration;
}

/** Rebuilds the redirect URL for openid-client, with only the known parameters. */
export function callbackUrl(redirectUri: string, callback: CallbackParameters): URL {
  const url = new URL(redirectUri);
  for (const name of ['state', 'code', 'iss'] as const)
    if (callback[name] !== undefined) url.searchParams.set(name, callback[name]);
  return url;
}

/**
 * Caches the result of `load` for `ms`. Concurrent callers share one call; failures are not cached.
 */
function createCached<Value>(ms: number, load: () => Promise<Value>): () => Promise<Value> {
  let cached: { value: Promise<Value>; until: number } | null = null;
  return async function get() {
    if (cached !== null && performance.now() < cached.until) return cached.value;
    const pending = { value: load(), until: performance.now() + ms };
    cached = pending;
    try {
      return await pending.value;
    } catch (error) {
      if (cached === pending) cached = null;
      throw error;
    }
  };
}
