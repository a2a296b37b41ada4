import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import { z } from 'zod';
import { configure, callbackUrl } from './openid.ts';
import { readPerson } from './person.ts';
import type { Provider, ProviderClient } from './provider.ts';
import { ProviderUnavailable } from './refused.ts';

const User = z.object({ id: z.number().int(), name: z.string().nullish() });
const Emails = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
);

/**
 * Creates the GitHub provider. GitHub has OAuth without OpenID Connect, so the person is read from
 * its API over TLS.
 */
export function createGithub(
  settings: ProviderClient & { url: string },
  fetch: CustomFetch,
): Provider {
  const base = new URL(settings.url).origin;
  const api = base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`;
  const server: client.ServerMetadata = {
    issuer: `${base}/login/oauth`,
    authorization_endpoint: `${base}/login/oauth/authorize`,
    token_endpoint: `${base}/login/oauth/access_token`,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };

  return {
    id: 'github',
    name: 'GitHub',
    async authorizationUrl({ state, verifier }) {
      return client.buildAuthorizationUrl(configure(settings, server, fetch), {
        redirect_uri: settings.redirect_uri,
        scope: 'user:email',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      });
    },
    async identify(callback, { verifier }) {
      const configuration = configure(settings, server, fetch);
      const { access_token } = await client.authorizationCodeGrant(
        configuration,
        callbackUrl(settings.redirect_uri, callback),
        { expectedState: callback.state, pkceCodeVerifier: verifier },
      );
      const get = async (path: string): Promise<unknown> => {
        const url = new URL(`${api}${path}`);
        const headers = new Headers({ accept: 'application/vnd.github+json' });
        const response = await client.fetchProtectedResource(
          configuration,
          access_token,
          url,
          'GET',
          null,
          headers,
        );
        if (response.status !== 200)
          throw new ProviderUnavailable(`GitHub ${path} responded with HTTP ${response.status}`);
        return response.json();
      };
      const user = User.parse(await get('/user'));
      const emails = Emails.parse(await get('/user/emails'));
      const email = emails.find(({ primary, verified }) => primary && verified)?.email;
      return readPerson(server.issuer, {
        sub: String(user.id),
        name: user.name ?? undefined,
        email,
        email_verified: email !== undefined,
      });
    },
  };
}
