import { request as sendHttp } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { signUp } from '../../../support/people/people.ts';
import { startAuthorizationServer } from '../../../support/upstreams/authorization-server.ts';
import type { AuthorizationServerOptions } from '../../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../../support/upstreams/oauth-upstream.ts';
import type { OAuthUpstreamOptions } from '../../../support/upstreams/oauth-upstream.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { addUpstream, beginAt, connect, connectionOf } from './connecting.ts';

const OWN = 'https://gateway.example';
const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1' });
const published = await world.gateway({ env: { PUBLIC_URL: OWN } });
const ada = await signUp(world, gateway);
const redirect_uri = `${gateway.config.PUBLIC_URL}/api/upstream-oauth/callback`;

/** Starts an upstream with its authorization server. */
async function start(
  server: AuthorizationServerOptions = { registration: true },
  upstream: OAuthUpstreamOptions = {},
) {
  const as = await startAuthorizationServer(server);
  const mcp = await startOAuthUpstream(as, upstream);
  onTestFinished(async () => {
    await Promise.all([as.close(), mcp.close()]);
  });
  return { as, mcp };
}

test.each<[OAuthUpstreamOptions['metadata'], AuthorizationServerOptions['metadata'], string]>([
  ['path', 'rfc8414', ''],
  ['root', 'rfc8414', '/tenant'],
  ['challenge', 'openid', ''],
  ['path', 'openid', '/tenant'],
  ['root', 'appended', '/tenant'],
])(
  'the authorization server is found with the resource’s metadata at its %s and %s metadata of an issuer with the path “%s”',
  async (resource, metadata, path) => {
    const { as, mcp } = await start({ metadata, path, registration: true }, { metadata: resource });
    const id = await addUpstream(ada, mcp.url);

    const { issuer, state } = await connect(ada, { id, server: as, login: 'ada' });

    expect([state, issuer]).toEqual(['connected', as.issuer]);
    expect((await connectionOf(ada, id).tools()).status).toBe(200);
  },
);

test('a server without metadata of the resource is its own authorization server', async () => {
  const { as, mcp } = await start({ registration: true }, { metadata: 'none' });
  mcp.intercept = (request, response) => {
    if (request.url !== '/.well-known/oauth-authorization-server') return false;
    const endpoints = {
      authorization_endpoint: `${as.origin}/auth`,
      token_endpoint: `${as.origin}/token`,
      registration_endpoint: `${as.origin}/reg`,
      code_challenge_methods_supported: ['S256'],
    };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ issuer: mcp.origin, ...endpoints }));
    return true;
  };
  const id = await addUpstream(ada, mcp.url);

  const location = new URL(await beginAt(ada, id));

  expect(location.origin).toBe(as.origin);
  expect((await connectionOf(ada, id).get()).body.issuer).toBe(mcp.origin);
});

test('the request has PKCE with S256, the resource, and the scopes of the challenge', async () => {
  const { mcp } = await start({ registration: true }, { scope: 'tools:write' });
  const id = await addUpstream(ada, mcp.url);

  const { searchParams } = new URL(await beginAt(ada, id));

  expect(Object.fromEntries(searchParams)).toMatchObject({
    ...{ response_type: 'code', code_challenge_method: 'S256', redirect_uri },
    ...{ resource: mcp.url, scope: 'tools:write offline_access' },
  });
  expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
  expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/);
});

test('the gateway registers itself once, and uses the client of the operator instead if there is one', async () => {
  const clients = [{ client_id: 'ours', client_secret: 'a secret', redirect_uris: [redirect_uri] }];
  const { as, mcp } = await start({ registration: true, clients });
  const registered = await addUpstream(ada, mcp.url);
  await beginAt(ada, registered);
  await beginAt(ada, registered);
  expect(as.registered).toHaveLength(1);

  const oauth = { client_id: 'ours', client_secret: 'a secret', scopes: ['tools:write'] };
  const given = await addUpstream(ada, mcp.url, oauth);
  const connected = await connect(ada, { id: given, server: as, login: 'ada' });

  expect(as.registered).toHaveLength(1);
  expect(connected.scopes).toContain('tools:write');
  expect(new URL(await beginAt(ada, given)).searchParams.get('client_id')).toBe('ours');
});

test('without a client, a document or registration, the response says what to register', async () => {
  const { mcp } = await start({ registration: false });
  const id = await addUpstream(ada, mcp.url);

  const { status, body } = await connectionOf(ada, id).begin();

  expect([status, body.errors[0]]).toMatchObject([
    422,
    { code: 'upstream_client_missing', detail: { redirect_uri } },
  ]);
});

test('where the server supports it, the client is a metadata document at an https address', async () => {
  const { as, mcp } = await start({ registration: true });
  as.amend = (document) => ({ ...document, client_id_metadata_document_supported: true });
  const id = await addUpstream(ada, mcp.url);
  const here = { ...ada, person: { ...ada.person } };
  const document = await readAt(published.url, '/api/upstream-oauth/client');

  // Over http there is no document.
  const registered = new URL(await beginAt(here, id)).searchParams.get('client_id');

  expect(registered).toBe(as.registered[0]);
  expect((await fetch(`${gateway.url}/api/upstream-oauth/client`)).status).toBe(404);
  expect(document).toEqual({
    client_id: `${OWN}/api/upstream-oauth/client`,
    client_name: 'toolgate',
    client_uri: OWN,
    redirect_uris: [`${OWN}/api/upstream-oauth/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
});

/** Reads JSON of a gateway as its proxy does. */
async function readAt(url: string, path: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  sendHttp(`${url}${path}`, { headers: { host: new URL(OWN).host } }, (response) => {
    text(response).then(resolve, reject);
  })
    .on('error', reject)
    .end();
  return JSON.parse(await promise) as unknown;
}

const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

test.each<[string, (document: Record<string, unknown>) => unknown]>([
  ['is huge', (document) => ({ ...document, padding: 'x'.repeat(400_000) })],
  ['is deep', () => deep],
  ['is not JSON', () => '<html></html>'],
  ['is a text', () => '"issuer"'],
  ['is of another issuer', (document) => ({ ...document, issuer: 'https://other.example' })],
  ['has no PKCE', (document) => ({ ...document, code_challenge_methods_supported: ['plain'] })],
  [
    'has an endpoint at a private address',
    (document) => ({ ...document, token_endpoint: 'https://10.0.0.1/token' }),
  ],
  [
    'has an endpoint that is a script',
    (document) => ({ ...document, authorization_endpoint: 'javascript:alert(1)' }),
  ],
  ['has an endpoint that is a number', (document) => ({ ...document, token_endpoint: 7 })],
])(
  'metadata of an authorization server that %s is refused, and nothing is saved',
  async (_what, amend) => {
    const { as, mcp } = await start();
    as.amend = amend;
    const id = await addUpstream(ada, mcp.url);

    const { status, body } = await connectionOf(ada, id).begin();

    expect([status, body.errors[0]?.code]).toEqual([422, 'upstream_authorization_failed']);
    expect((await connectionOf(ada, id).get()).body).toMatchObject({
      ...{ state: 'not_connected', issuer: null },
    });
    expect(as.registered).toEqual([]);
  },
);

test.each<[string, (document: Record<string, unknown>) => unknown]>([
  ['is huge', (document) => ({ ...document, padding: 'x'.repeat(400_000) })],
  ['is deep', () => deep],
  ['is not JSON', () => '<html></html>'],
  ['is of another origin', (document) => ({ ...document, resource: 'https://other.example/mcp' })],
  [
    'is of another path',
    (document) => ({ ...document, resource: `${String(document['resource'])}/other` }),
  ],
  ['names no server', (document) => ({ ...document, authorization_servers: [] })],
  [
    'names a private server',
    (document) => ({ ...document, authorization_servers: ['https://10.0.0.1'] }),
  ],
  ['names a file', (document) => ({ ...document, authorization_servers: ['file:///etc/passwd'] })],
])('metadata of a resource that %s is refused', async (_what, amend) => {
  const { mcp } = await start();
  mcp.amend = amend;
  const id = await addUpstream(ada, mcp.url);

  const { status, body } = await connectionOf(ada, id).begin();

  expect([status, body.errors[0]?.code]).toEqual([422, 'upstream_authorization_failed']);
});

test('metadata of a resource at another origin is not read', async () => {
  const { as, mcp } = await start();
  let isRead = false;
  as.intercept = (request) => {
    isRead ||= request.url === '/resource';
    return false;
  };
  mcp.intercept = (request, response) => {
    if (request.url !== '/mcp' || request.headers.authorization !== undefined) return false;
    const challenge = `Bearer resource_metadata="${as.origin}/resource"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return true;
  };
  const id = await addUpstream(ada, mcp.url);

  await beginAt(ada, id);

  expect(isRead).toBe(false);
});

test('a redirect of metadata is not followed', async () => {
  const { as, mcp } = await start();
  as.intercept = (request, response) => {
    if (!request.url!.includes('/.well-known/')) return false;
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    return true;
  };
  const id = await addUpstream(ada, mcp.url);

  const { body } = await connectionOf(ada, id).begin();

  expect(body.errors[0]).toMatchObject({
    code: 'upstream_authorization_failed',
    detail: { reason: 'redirect_refused' },
  });
});
