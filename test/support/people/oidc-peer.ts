import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A certified OpenID provider with its own sign-in and consent pages. */
export interface OidcPeer {
  env: Record<string, string>;
  /** Claims by login name. */
  people: Map<string, Record<string, unknown>>;
  /** Completes the provider's sign-in pages like a browser and returns the callback URL. */
  signIn(location: string, login: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts another, certified implementation of the standard, with its own sign-in and consent pages.
 */
export async function createOidcPeer(redirectUri: string): Promise<OidcPeer> {
  const people: OidcPeer['people'] = new Map();
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client_secret = 'a secret';
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'toolgate', client_secret, redirect_uris: [redirectUri] }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'locale'],
    },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the peer'] },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, ...people.get(sub) }),
    }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));

  async function signIn(location: string, login: string): Promise<string> {
    const jar = new Map<string, string>();
    let at = new URL(location);
    for (let hops = 0; hops < 12; hops += 1) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const isPage = /^\/interaction\/[\w-]+$/.test(at.pathname);
      const form = new URLSearchParams(
        hops < 3 ? { prompt: 'login', login, password: 'any' } : { prompt: 'consent' },
      );
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie },
        ...(isPage ? { method: 'POST', body: form } : {}),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      await response.body?.cancel();
      at = new URL(response.headers.get('location') ?? '', at);
      if (at.href.startsWith(redirectUri)) return at.href;
    }
    throw new Error(`the peer did not send the browser back: ${at.href}`);
  }

  return {
    env: {
      OIDC_NAME: 'Peer',
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'toolgate',
      OIDC_CLIENT_SECRET: client_secret,
      OUTBOUND_ALLOW: '127.0.0.1',
    },
    people,
    signIn,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
