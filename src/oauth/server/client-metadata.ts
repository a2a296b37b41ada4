import type { AdapterPayload } from 'oidc-provider';
import type { OAuthClient } from '../clients/clients.ts';

/** Secrets are stored as hashes, so that the library's comparison is replaced (`provider.ts`). */
const PLACEHOLDER = 'stored as a hash';
const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)/i;
const WEB = /^https?:/i;

/** Returns what oidc-provider knows of a client. */
export const metadataOf = (client: OAuthClient): AdapterPayload => ({
  client_id: client.id,
  client_name: client.name,
  // Only for native applications does any port of a loopback host match (RFC 8252).
  application_type: client.redirect_uris.some(isNative) ? 'native' : 'web',
  grant_types: [...client.grant_types],
  response_types: client.grant_types.includes('authorization_code') ? ['code'] : [],
  redirect_uris: [...client.redirect_uris],
  ...(client.type === 'confidential'
    ? { token_endpoint_auth_method: 'client_secret_post', client_secret: PLACEHOLDER }
    : { token_endpoint_auth_method: 'none' }),
});

const isNative = (uri: string) => LOOPBACK.test(uri) || !WEB.test(uri);
