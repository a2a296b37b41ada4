import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import type { Adapter, AdapterPayload, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { onTestFinished } from 'vitest';

const MCP = 'https://gateway.example/mcp';
export const REDIRECT = 'https://client.example/cb';
export const VERIFIER = 'v'.repeat(43);
const off = { enabled: false };

/** The methods that `src/oauth/server/provider.ts` replaces. */
export interface Replaced {
  compareClientSecret: (this: { clientId: string }, secret: string) => unknown;
  redirectUriAllowed: (this: { redirectUris: readonly string[] }, uri: string) => unknown;
}

export interface Library {
  url: string;
  provider: Provider;
  /** What the library asked of us, in order. */
  calls: string[];
  /** Runs after the library has answered, as `settle.ts` does. */
  after: { run(ctx: KoaContextWithOIDC): void };
  client: Replaced;
  schema: { redirectUris: () => void };
  post(form: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Stores a code or a refresh token; returns its value. */
  issue(model: 'AuthorizationCode' | 'RefreshToken', fields?: object): Promise<string>;
}

/** Starts oidc-provider as the authorization server configures it, on an adapter in memory. */
export async function startLibrary(
  config: Configuration = {},
  onFind: (model: string) => void = () => {},
): Promise<Library> {
  const calls: string[] = [];
  const rows = new Map<string, AdapterPayload>();
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const adapter = (model: string): Adapter => ({
    async find(id) {
      calls.push(`find ${model}`);
      onFind(model);
      return rows.get(`${model} ${id}`);
    },
    async upsert(id, payload) {
      calls.push(`upsert ${model}`);
      rows.set(`${model} ${id}`, payload);
    },
    async consume(id) {
      calls.push(`consume ${model}`);
      rows.get(`${model} ${id}`)!['consumed'] = 1;
    },
    async destroy(id) {
      calls.push(`destroy ${model} ${id}`);
    },
    revokeByGrantId: async () => {},
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  });
  for (const [id, method] of [
    ['public', 'none'],
    ['confidential', 'client_secret_post'],
  ])
    rows.set(`Client ${id}`, {
      ...{ client_id: id, token_endpoint_auth_method: method },
      ...(id === 'confidential' && { client_secret: 'stored as a hash' }),
      grant_types: ['authorization_code', 'refresh_token'],
      ...{ response_types: ['code'], redirect_uris: [REDIRECT] },
    } as AdapterPayload);
  const provider = new Provider('https://gateway.example', {
    adapter,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
    routes: { authorization: '/authorize', token: '/token' },
    ...{ scopes: [], claims: {}, responseTypes: ['code'] },
    clientAuthMethods: ['client_secret_post', 'none'],
    clientDefaults: { token_endpoint_auth_method: 'none' },
    allowOmittingSingleRegisteredRedirectUri: true,
    rotateRefreshToken: false,
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    cookies: { keys: ['a'.repeat(32)] },
    ttl: { Interaction: 60, Grant: 60, AccessToken: 60, RefreshToken: 60, AuthorizationCode: 60 },
    renderError: async (ctx) => {
      ctx.body = '';
    },
    findAccount: async (_ctx, sub) => {
      calls.push('findAccount');
      return { accountId: sub, claims: async () => ({ sub }) };
    },
    extraTokenClaims: async () => {
      calls.push('extraTokenClaims');
      return { cid: 'one' };
    },
    features: {
      ...{ devInteractions: off, userinfo: off, rpInitiatedLogout: off, dPoP: off },
      ...{ pushedAuthorizationRequests: off, clientCredentials: { enabled: true } },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => MCP,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({
          ...{ scope: 'mcp_tools', audience: MCP, accessTokenFormat: 'jwt' as const },
          jwt: { sign: { alg: 'RS256' as const } },
        }),
      },
    },
    ...config,
  });
  provider.proxy = true;
  provider.silent = true;
  const after: Library['after'] = { run: () => {} };
  provider.use(async (ctx, next) => {
    await next();
    after.run(ctx as KoaContextWithOIDC);
  });
  const handle = provider.callback();
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { prototype, Schema } = provider.Client as unknown as {
    prototype: Replaced;
    Schema: { prototype: Library['schema'] };
  };
  return {
    ...{ url, provider, calls, after, client: prototype, schema: Schema.prototype },
    async post(form) {
      const body = new URLSearchParams(form);
      const response = await fetch(`${url}/token`, { method: 'POST', body });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    async issue(model, fields = {}) {
      const grant = new provider.Grant({ clientId: 'public', accountId: 'ada' });
      grant.addResourceScope(MCP, 'mcp_tools');
      const grantId = await grant.save();
      const client = (await provider.Client.find('public'))!;
      const token = new provider[model]({
        ...{ client, accountId: 'ada', grantId, scope: 'mcp_tools', resource: MCP },
        ...{ gty: 'authorization_code', ...fields },
      });
      const value = await token.save();
      calls.length = 0;
      return value;
    },
  };
}
