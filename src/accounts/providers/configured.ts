import type { Config } from '../../platform/config/config.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { createGithub } from './github.ts';
import { createOpenId } from './openid.ts';
import { createOpenIdFetch } from '../../platform/outbound/openid-fetch.ts';
import type { Provider } from './provider.ts';

export type ProviderSettings = Pick<
  Config,
  | 'PUBLIC_URL'
  | 'GOOGLE_CLIENT_ID'
  | 'GOOGLE_CLIENT_SECRET'
  | 'GITHUB_CLIENT_ID'
  | 'GITHUB_CLIENT_SECRET'
  | 'GITHUB_URL'
  | 'OIDC_NAME'
  | 'OIDC_ISSUER'
  | 'OIDC_CLIENT_ID'
  | 'OIDC_CLIENT_SECRET'
>;

const GOOGLE = 'https://accounts.google.com';

/** Returns the configured providers, in display order. */
export function configuredProviders(
  config: ProviderSettings,
  outbound: Pick<Outbound, 'fetch'>,
): Provider[] {
  const fetch = createOpenIdFetch(outbound);
  const client = (id: string, client_id: string | undefined, client_secret: string | undefined) =>
    client_id === undefined || client_secret === undefined
      ? null
      : { client_id, client_secret, redirect_uri: redirectUri(config.PUBLIC_URL, id) };
  const google = client('google', config.GOOGLE_CLIENT_ID, config.GOOGLE_CLIENT_SECRET);
  const github = client('github', config.GITHUB_CLIENT_ID, config.GITHUB_CLIENT_SECRET);
  const oidc = client('oidc', config.OIDC_CLIENT_ID, config.OIDC_CLIENT_SECRET);
  const { OIDC_NAME: name, OIDC_ISSUER: issuer } = config;
  return [
    google && createOpenId({ ...google, id: 'google', name: 'Google', issuer: GOOGLE }, fetch),
    github && createGithub({ ...github, url: config.GITHUB_URL }, fetch),
    oidc && name && issuer && createOpenId({ ...oidc, id: 'oidc', name, issuer }, fetch),
  ].filter((provider) => provider !== null && typeof provider === 'object');
}

const redirectUri = (publicUrl: string, id: string) => `${publicUrl}/api/auth/oauth/${id}/callback`;
