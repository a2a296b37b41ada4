import type { AdapterPayload } from 'oidc-provider';
import type { OAuthClient } from '../clients/clients.ts';

/** Secrets are stored as hashes, so that the library's comparison is replaced (`provider.ts`). */
const PLACEHOLDER = 'stored as a hash';

/** Returns what oidc-provider knows of a client. */
export const metadataOf = (client: OAuthClient): AdapterPayload => ({
  client_id: client.id,
  client_name: client.name,
  grant_types: [...client.grant_types],
  response_types: client.grant_types.includes('authorization_code') ? ['code'] : [],
  redirect_uris: [...client.redirect_uris],
  ...(client.type === 'confidential'
    ? { token_endpoint_auth_method: 'client_secret_post', client_secret: PLACEHOLDER }
    : { token_endpoint_auth_method: 'none' }),
});
