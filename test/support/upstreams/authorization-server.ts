import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { ClientMetadata } from 'oidc-provider';

export interface AuthorizationServerOptions {
  /** Path of the issuer. */
  path?: string;
  /** Where the metadata is: RFC 8414, OpenID Connect with an inserted path, or with an appended one. */
  metadata?: 'rfc8414' | 'openid' | 'appended' | undefined;
  clients?: readonly ClientMetadata[];
  registration?: boolean;
  /** Life of its access tokens, which each of them takes when it is issued. */
  tokenSeconds?: number;
}

/** Responds to a request itself, and then returns true. */
type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A certified authorization server that upstreams refer to, with its own sign-in pages. */
export type AuthorizationServer = Awaited<ReturnType<typeof startAuthorizationServer>>;

export async function startAuthorizationServer({
  path = '',
  metadata = 'rfc8414',
  clients = [],
  registration = false,
  ...options
}: AuthorizationServerOptions = {}) {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = {
    tokenSeconds: options.tokenSeconds ?? 3_600,
    /** Changes the metadata before it is sent. */
    amend: (document: Record<string, unknown>): unknown => document,
    intercept: (() => false) as Intercept,
    /** Requests to the token endpoint, by grant type. */
    grants: [] as string[],
    /** Tokens that were revoked. */
    revoked: [] as string[],
    /** Clients that registered themselves. */
    registered: [] as string[],
  };
  const provider = createProvider(`${origin}${path}`, { clients, registration, state });
  const answer = provider.callback();
  const documentPath = {
    rfc8414: `/.well-known/oauth-authorization-server${path}`,
    openid: `/.well-known/openid-configuration${path}`,
    appended: `${path}/.well-known/openid-configuration`,
  }[metadata];

  async function readDocument(): Promise<Record<string, unknown>> {
    const response = await fetch(`${origin}/internal-metadata`);
    return (await response.json()) as Record<string, unknown>;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '';
    if (state.intercept(request, response)) return;
    if (url === '/internal-metadata') request.url = '/.well-known/openid-configuration';
    else if (url === documentPath) {
      const document = state.amend({
        ...(await readDocument()),
        code_challenge_methods_supported: ['S256'],
      });
      const body = typeof document === 'string' ? document : JSON.stringify(document);
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      return;
    } else if (url.includes('/.well-known/')) {
      response.writeHead(404).end();
      return;
    } else if (path !== '' && url.startsWith(path)) {
      // As a proxy does that serves the issuer below a path.
      request.url = url.slice(path.length);
      Object.assign(request, { originalUrl: url });
    }
    void answer(request, response);
  }
  server.on('request', (request, response) => void respond(request, response));

  return Object.assign(state, {
    issuer: `${origin}${path}`,
    origin,
    /** Returns the login name of a token's account, if the token is valid. */
    async loginOf(token: string): Promise<string | null> {
      const found = await provider.AccessToken.find(token);
      return found === undefined || found.isExpired ? null : (found.accountId ?? null);
    },
    signIn,
    /** Answers a request that was intercepted. */
    resume: (request: IncomingMessage, response: ServerResponse) => void answer(request, response),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  });
}

interface ProviderOptions {
  clients: readonly ClientMetadata[];
  registration: boolean;
  state: { tokenSeconds: number; grants: string[]; revoked: string[]; registered: string[] };
}

function createProvider(issuer: string, { clients, registration, state }: ProviderOptions) {
  const provider = new Provider(issuer, {
    clients: [...clients],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the server'] },
    claims: { openid: ['sub'], email: ['email'] },
    scopes: ['openid', 'email', 'offline_access'],
    conformIdTokenClaims: false,
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, email: `${sub}@upstream.example` }),
    }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    ttl: { AccessToken: () => state.tokenSeconds, RefreshToken: 86_400, Grant: 86_400 },
    features: {
      registration: { enabled: registration },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'tools:read tools:write',
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: state.tokenSeconds,
        }),
      },
    },
  });
  provider.proxy = false;
  provider.use(async (context, next) => {
    await next();
    if (context.oidc?.route === 'token')
      state.grants.push(String(context.oidc.params?.['grant_type']));
    if (context.oidc?.route === 'revocation')
      state.revoked.push(String(context.oidc.params?.['token']));
    if (context.oidc?.route === 'registration')
      state.registered.push(String((context.body as { client_id?: string }).client_id));
  });
  return provider;
}

/** Goes through the pages like a browser; returns the address that it is sent back to. */
async function signIn(location: string, login: string): Promise<URL> {
  const jar = new Map<string, string>();
  const { origin } = new URL(location);
  let at = new URL(location);
  for (let hops = 0; hops < 12; hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const isPage = /\/interaction\/[\w-]+$/.test(at.pathname);
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
    const to = response.headers.get('location');
    if (to === null) throw new Error(`${at.href}: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
    at = new URL(to, at);
    if (at.origin !== origin) return at;
  }
  throw new Error(`the server did not send the browser back: ${at.href}`);
}
