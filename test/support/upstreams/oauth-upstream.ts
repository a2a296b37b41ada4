import type { IncomingMessage, ServerResponse } from 'node:http';
import { startSdkV1 } from './sdk-v1.ts';
import type { AuthorizationServer } from './authorization-server.ts';

export interface OAuthUpstreamOptions {
  /** Where the metadata of the resource is. */
  metadata?: 'path' | 'root' | 'challenge' | 'none' | undefined;
  /** Scopes that the challenge names. */
  scope?: string;
}

/** Starts an MCP server that accepts the tokens of an authorization server only. */
export async function startOAuthUpstream(
  server: Pick<AuthorizationServer, 'issuer' | 'loginOf'>,
  { metadata = 'path', scope = 'tools:read' }: OAuthUpstreamOptions = {},
) {
  const state = {
    issuer: server.issuer,
    /** Changes the metadata of the resource before it is sent. */
    amend: (document: Record<string, unknown>): unknown => document,
    /** Login names of the callers, in the order of their requests. */
    callers: [] as string[],
    intercept: (_request: IncomingMessage, _response: ServerResponse) => false,
  };
  const documentPath = {
    path: '/.well-known/oauth-protected-resource/mcp',
    root: '/.well-known/oauth-protected-resource',
    challenge: '/elsewhere/resource',
    none: '/nowhere',
  }[metadata];
  let origin = '';

  const upstream = await startSdkV1(async (request, response) => {
    if (state.intercept(request, response)) return true;
    if (request.url === documentPath && metadata !== 'none') {
      const document = state.amend({
        resource: `${origin}/mcp`,
        authorization_servers: [state.issuer],
        scopes_supported: ['tools:read', 'tools:write'],
      });
      const body = typeof document === 'string' ? document : JSON.stringify(document);
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      return true;
    }
    if (request.url !== '/mcp') {
      response.writeHead(404).end();
      return true;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const login = token === undefined ? null : await server.loginOf(token);
    if (login !== null) {
      state.callers.push(login);
      return false;
    }
    const named = metadata === 'challenge' ? `, resource_metadata="${origin}${documentPath}"` : '';
    response
      .writeHead(401, { 'www-authenticate': `Bearer scope="${scope}"${named}` })
      .end('{"error":"invalid_token"}');
    return true;
  });
  origin = new URL(upstream.url).origin;
  return Object.assign(state, upstream, { origin });
}
