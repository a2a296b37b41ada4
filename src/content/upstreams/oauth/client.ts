import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import { unprocessable } from '../../../platform/errors/refusal.ts';
import { OPENID_REQUEST_MS } from '../../../platform/outbound/openid-fetch.ts';
import { authorizationFailed } from './failure.ts';
import type { ServerMetadata } from './server-metadata.ts';

/** The gateway as a client of an authorization server. */
export interface OAuthClient {
  client_id: string;
  client_secret: string | null;
}

/** Addresses of the gateway that authorization servers know it by. */
export interface OwnAddresses {
  redirect_uri: string;
  /** Address and id of the client metadata document; null unless it is https. */
  document: string | null;
  home: string;
}

export const addressesAt = (publicUrl: string): OwnAddresses => ({
  redirect_uri: `${publicUrl}/api/upstream-oauth/callback`,
  document: publicUrl.startsWith('https:') ? `${publicUrl}/api/upstream-oauth/client` : null,
  home: publicUrl,
});

/** The client metadata that is the same in a document and in a registration. */
export const clientMetadata = ({ redirect_uri, home }: OwnAddresses) => ({
  client_name: 'toolgate',
  client_uri: home,
  redirect_uris: [redirect_uri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
});

/** Creates a configuration of openid-client for one use. */
export function configure(
  server: ServerMetadata,
  { client_id, client_secret }: OAuthClient,
  fetch: CustomFetch,
): client.Configuration {
  const configuration = new client.Configuration(
    // Zod's optional fields may be undefined in types, but never are.
    server as client.ServerMetadata,
    client_id,
    undefined,
    client_secret === null ? client.None() : authenticationWith(client_secret, server),
  );
  configuration[client.customFetch] = fetch;
  configuration.timeout = OPENID_REQUEST_MS / 1_000;
  // `platform/outbound/outbound.ts` restricts plain http to hosts the operator allowed.
  client.allowInsecureRequests(configuration);
  return configuration;
}

function authenticationWith(secret: string, server: ServerMetadata): client.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_post')
    ? client.ClientSecretPost(secret)
    : client.ClientSecretBasic(secret);
}

/** How the gateway becomes a client of a server at which the operator has not registered it. */
export async function obtainClient(
  server: ServerMetadata,
  own: OwnAddresses,
  fetch: CustomFetch,
): Promise<OAuthClient & { isRegistered: boolean }> {
  if (server.client_id_metadata_document_supported === true && own.document !== null)
    return { client_id: own.document, client_secret: null, isRegistered: false };
  if (server.registration_endpoint === undefined)
    throw unprocessable(
      'upstream_client_missing',
      'Register the gateway at the authorization server, and set `oauth.client_id`.',
      { detail: { issuer: server.issuer, redirect_uri: own.redirect_uri } },
    );
  return { ...(await register(server, own, fetch)), isRegistered: true };
}

async function register(
  server: ServerMetadata,
  own: OwnAddresses,
  send: CustomFetch,
): Promise<OAuthClient> {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const token_endpoint_auth_method =
    ['none', 'client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one)) ??
    'none';
  const configuration = await client.dynamicClientRegistration(
    new URL(server.issuer),
    { ...clientMetadata(own), token_endpoint_auth_method },
    undefined,
    {
      // The metadata has been read and checked: this answers the library's own request for it.
      [client.customFetch]: (url, options) =>
        options.method === 'GET'
          ? Promise.resolve(Response.json({ ...server }))
          : send(url, options),
      timeout: OPENID_REQUEST_MS / 1_000,
      execute: [client.allowInsecureRequests],
    },
  );
  const { client_id, client_secret = null } = configuration.clientMetadata();
  if (![client_id, client_secret ?? ''].every((value) => /^[\x20-\x7e]{0,2048}$/.test(value)))
    throw authorizationFailed('The registered client must be printable ASCII characters.');
  return { client_id, client_secret };
}
