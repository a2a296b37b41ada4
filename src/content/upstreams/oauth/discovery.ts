import * as client from 'openid-client';
import type { CustomFetch } from 'openid-client';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { isScope, readChallenge } from './challenge.ts';
import type { Challenge } from './challenge.ts';
import { authorizationFailed } from './failure.ts';
import { createOpenIdFetch, OPENID_REQUEST_MS } from '../../../platform/outbound/openid-fetch.ts';
import { ResourceMetadata, ServerMetadata } from './server-metadata.ts';

/** How to be authorized at an upstream, as it and its authorization server say now. */
export interface Discovered {
  /** The `resource` parameter of requests (RFC 8707). */
  resource: string;
  /** Scopes that the upstream names. */
  scopes: readonly string[];
  server: ServerMetadata;
}

const MAX_BYTES = 131_072;
const NOT_FOUND = new Set([400, 401, 403, 404, 405, 410]);

/** Creates the function that finds the authorization server of an upstream, as MCP specifies. */
export function createDiscovery(outbound: Pick<Outbound, 'check' | 'fetch' | 'open'>) {
  const fetch = createOpenIdFetch(outbound);

  /** Sends a request without a token; returns the challenge of the 401. */
  async function challenge(url: string): Promise<Challenge | null> {
    const { status, headers, body } = await outbound.open({
      url,
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(INITIALIZE),
      timeoutMs: OPENID_REQUEST_MS,
      maxBytes: MAX_BYTES,
    });
    body.on('error', () => {}).destroy();
    return status === 401 ? readChallenge(headers['www-authenticate']) : null;
  }

  /** Returns a JSON document; null if there is none at the address. */
  async function readJson(url: string): Promise<unknown> {
    const { status, body } = await outbound.fetch({
      url,
      headers: { accept: 'application/json' },
      timeoutMs: OPENID_REQUEST_MS,
      maxBytes: MAX_BYTES,
    });
    if (NOT_FOUND.has(status)) return null;
    if (status !== 200)
      throw authorizationFailed(`The metadata has the status ${status}.`, { url });
    try {
      return JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
    } catch {
      throw authorizationFailed('The metadata must be JSON.', { url });
    }
  }

  /** Reads the metadata of the resource; null if the server has none. */
  async function readResource(url: URL, found: Challenge | null): Promise<ResourceMetadata | null> {
    for (const address of resourceAddresses(url, found)) {
      const document = await readJson(address);
      if (document === null) continue;
      const parsed = ResourceMetadata.safeParse(document);
      if (!parsed.success)
        throw authorizationFailed('The metadata of the resource is invalid.', { url: address });
      if (!covers(parsed.data.resource, url))
        throw authorizationFailed('The metadata is of another resource.', { url: address });
      return parsed.data;
    }
    return null;
  }

  return async function discover(address: string, approved: string | null): Promise<Discovered> {
    const url = new URL(address);
    const found = await challenge(address);
    const resource = await readResource(url, found);
    // Servers of the protocol version 2025-03-26 are their own authorization servers.
    const servers = resource?.authorization_servers ?? [url.origin];
    const issuer = servers.find((server) => isSameUrl(server, approved)) ?? servers[0]!;
    const scopes = found?.scopes.length ? found.scopes : (resource?.scopes_supported ?? []);
    return {
      resource: resource?.resource ?? withoutFragment(url),
      scopes: scopes.filter(isScope),
      server: await readServer(issuer, { fetch, outbound }),
    };
  };
}

/** Whether two addresses are the same, if a final slash is left out of an empty path. */
const isSameUrl = (one: string, other: string | null): boolean =>
  other !== null && URL.canParse(one) && URL.parse(one)?.href === URL.parse(other)?.href;

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'toolgate', version: '1' },
  },
};

/** Metadata of another origin is ignored: it would speak for a resource that is not its own. */
function resourceAddresses({ origin, pathname }: URL, found: Challenge | null): Set<string> {
  const named = found?.resource_metadata ?? null;
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/\/$/, '');
  return new Set([
    ...(named !== null && URL.parse(named)?.origin === origin ? [named] : []),
    ...(path === '' ? [] : [`${wellKnown}${path}`]),
    wellKnown,
  ]);
}

/** Whether a resource is the address, or a parent of it at the same origin. */
function covers(resource: string, { origin, pathname }: URL): boolean {
  const named = URL.parse(resource);
  if (named === null || named.origin !== origin || named.hash !== '') return false;
  const parent = named.pathname.replace(/\/$/, '');
  return pathname === parent || pathname.startsWith(`${parent}/`);
}

const withoutFragment = ({ origin, pathname, search }: URL) =>
  `${origin}${pathname === '/' ? '' : pathname}${search}`;

/** Addresses of the metadata of an issuer, in the order of the MCP specification. */
function serverAddresses(issuer: URL): string[] {
  const { origin } = issuer;
  const path = issuer.pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === ''
    ? inserted
    : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

async function readServer(
  issuer: string,
  { fetch, outbound }: { fetch: CustomFetch; outbound: Pick<Outbound, 'check'> },
): Promise<ServerMetadata> {
  const url = URL.parse(issuer);
  if (url === null || url.search !== '' || url.hash !== '')
    throw authorizationFailed('The issuer must be a URL without a query and fragment.', { issuer });
  outbound.check(issuer);
  for (const address of serverAddresses(url)) {
    const metadata = await readServerAt(address, fetch);
    if (metadata === null) continue;
    const parsed = ServerMetadata.safeParse(metadata);
    if (!parsed.success)
      throw authorizationFailed('The metadata of the authorization server is invalid.', {
        url: address,
      });
    requireUsable(parsed.data, { issuer, outbound });
    return parsed.data;
  }
  throw authorizationFailed('The authorization server has no metadata.', { issuer });
}

/** Returns the document at one address; null if there is none. */
async function readServerAt(address: string, send: CustomFetch): Promise<unknown> {
  let status = 0;
  try {
    const configuration = await client.discovery(new URL(address), 'none', undefined, undefined, {
      async [client.customFetch](...sent) {
        const response = await send(...sent);
        ({ status } = response);
        return response;
      },
      timeout: OPENID_REQUEST_MS / 1_000,
      // `platform/outbound/outbound.ts` restricts plain http to hosts the operator allowed.
      execute: [client.allowInsecureRequests],
    });
    return configuration.serverMetadata();
  } catch (error) {
    if (NOT_FOUND.has(status)) return null;
    throw error;
  }
}

/** Throws unless the metadata is of the issuer, with endpoints that may be requested and with PKCE. */
function requireUsable(
  server: ServerMetadata,
  { issuer, outbound }: { issuer: string; outbound: Pick<Outbound, 'check'> },
): void {
  if (!isSameUrl(server.issuer, issuer))
    throw authorizationFailed('The metadata is of another authorization server.', {
      issuer: server.issuer,
    });
  if (server.code_challenge_methods_supported?.includes('S256') !== true)
    throw authorizationFailed('The authorization server must support PKCE with S256.', { issuer });
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } =
    server;
  for (const endpoint of [
    authorization_endpoint,
    token_endpoint,
    registration_endpoint,
    revocation_endpoint,
  ])
    try {
      if (endpoint !== undefined) outbound.check(endpoint);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw authorizationFailed(`An endpoint is not allowed. ${error.message}`, {
        url: endpoint,
        reason: error.code,
      });
    }
}
