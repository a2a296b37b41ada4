import type {
  OAuthClientInformationMixed,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import type { TestClient } from '../people/oauth.ts';

/**
 * What an application that is registered gives to the official SDK, of either version: who it is,
 * and where its tokens are stored.
 */
export function createRegisteredProvider({ id, secret, redirect_uri }: TestClient) {
  const stored: {
    tokens?: OAuthTokens;
    verifier?: string;
    browserUrl?: URL;
    discovered?: OAuthDiscoveryState;
  } = {};
  const information: OAuthClientInformationMixed = {
    client_id: id,
    ...(secret === null ? {} : { client_secret: secret }),
  };
  return {
    stored,
    redirectUrl: redirect_uri,
    clientMetadata: { client_name: 'Test app', redirect_uris: [redirect_uri] },
    clientInformation: () => information,
    tokens: () => stored.tokens,
    saveTokens(tokens: OAuthTokens) {
      stored.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      stored.browserUrl = url;
    },
    saveCodeVerifier(verifier: string) {
      stored.verifier = verifier;
    },
    codeVerifier: () => stored.verifier!,
    saveDiscoveryState(discovered: OAuthDiscoveryState) {
      stored.discovered = discovered;
    },
    discoveryState: () => stored.discovered,
    invalidateCredentials(scope: string) {
      if (scope === 'all' || scope === 'tokens') delete stored.tokens;
    },
  };
}
export type RegisteredProvider = ReturnType<typeof createRegisteredProvider>;
