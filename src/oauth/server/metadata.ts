import { capabilities, scopeOfCapability } from '../../authz/permissions.ts';

export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';

// Clients request every scope that they see, so management scopes are not among them.
const scopes_supported = capabilities.map(scopeOfCapability);
const AUTH_METHODS = ['client_secret_post', 'none'];

/** Returns the metadata of the authorization server (RFC 8414). */
export const serverMetadata = (publicUrl: string) => ({
  issuer: publicUrl,
  authorization_endpoint: `${publicUrl}/oauth/authorize`,
  token_endpoint: `${publicUrl}/oauth/token`,
  revocation_endpoint: `${publicUrl}/oauth/revoke`,
  jwks_uri: `${publicUrl}/oauth/jwks`,
  scopes_supported,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
});

/** Returns the metadata of `/mcp` as a protected resource (RFC 9728). */
export const resourceMetadata = (publicUrl: string) => ({
  resource: `${publicUrl}/mcp`,
  authorization_servers: [publicUrl],
  scopes_supported,
  bearer_methods_supported: ['header'],
});
