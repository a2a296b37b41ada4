import type { TokenEndpointResponse } from 'openid-client';
import { isScope } from '../challenge.ts';
import { authorizationFailed } from '../failure.ts';

/** A token response, limited to what can be sent to the upstream and be stored. */
export interface ReceivedTokens {
  access_token: string;
  refresh_token: string | null;
  /** Null if the response does not name them: then they are the requested ones. */
  scopes: string[] | null;
  /** Null if the response does not say when the token expires. */
  expires_in: number | null;
}

const MAX_SCOPES = 100;
const MAX_SECONDS = 10 * 365 * 86_400;

/** Throws 422 for an access token that no header can have. */
export function readTokens(received: Readonly<TokenEndpointResponse>): ReceivedTokens {
  const { access_token, refresh_token = null, scope, expires_in } = received;
  if (!/^[\x21-\x7e]{1,16384}$/.test(access_token))
    throw authorizationFailed('The access token must be printable ASCII characters.');
  return {
    access_token,
    refresh_token,
    scopes: scope?.split(' ').filter(isScope).slice(0, MAX_SCOPES) ?? null,
    expires_in: expires_in === undefined ? null : Math.min(expires_in, MAX_SECONDS),
  };
}
