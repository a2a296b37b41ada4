import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient, REDIRECT } from '../../../support/people/oauth.ts';
import { ownAddresses, signUp } from '../../../support/people/people.ts';
import { sendRaw } from '../../../support/servers/raw-request.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { formPost } from './posts.ts';

const LOOPBACK = 'http://127.0.0.1/callback';

const { world, gateway } = await useGateway(ownAddresses);
const peer = createOAuthPeer(gateway);
const ada = await signUp(world, gateway);
const owner = { account_id: ada.account_id };
const app = await insertClient(world, { owner, redirect_uris: [REDIRECT] });
const server = await insertClient(world, { owner, type: 'confidential' });

type Params = Record<string, string | undefined>;
const mcp = () => `${gateway.config.PUBLIC_URL}/mcp`;

test.each<[title: string, params: Params]>([
  ['an unknown client', { client_id: '0192f0c1-0000-7000-8000-000000000000' }],
  ['a client_id that is not a UUID', { client_id: "x' OR 1=1" }],
  ['no client', { client_id: undefined }],
  ['a trailing slash', { redirect_uri: `${REDIRECT}/` }],
  ['a query', { redirect_uri: `${REDIRECT}?x=1` }],
  ['another case', { redirect_uri: REDIRECT.replace('/cb', '/CB') }],
  ['a port', { redirect_uri: 'https://client.example.com:444/cb' }],
  ['a path that normalizes to it', { redirect_uri: 'https://client.example.com/cb/../cb' }],
  ['userinfo', { redirect_uri: 'https://client.example.com@evil.example.com/cb' }],
  ['an encoded path', { redirect_uri: 'https://client.example.com/%63b' }],
  ['another scheme', { redirect_uri: 'http://client.example.com/cb' }],
  ['a loopback address', { redirect_uri: LOOPBACK }],
])('authorize: %s gets a page and no redirect (rel:B5-1, rel:B5-2)', async (_title, params) => {
  const { status, location, headers, body } = await peer.start(app, params);
  expect({ status, location }).toEqual({ status: 400, location: '' });
  expect(headers.get('content-type')).toMatch(/^text\/html/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  // The address is shown, but never as one to go to.
  expect(body).not.toMatch(/href=|http-equiv=/);
});

test.each<[title: string, params: Params, error: string]>([
  ['token', { response_type: 'token' }, 'unsupported_response_type'],
  ['id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
  ['code token', { response_type: 'code token' }, 'unsupported_response_type'],
  ['no response type', { response_type: undefined }, 'invalid_request'],
  [
    'no challenge',
    { code_challenge: undefined, code_challenge_method: undefined },
    'invalid_request',
  ],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no challenge method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a challenge of 42 characters', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
  ['a challenge of 129 characters', { code_challenge: 'a'.repeat(129) }, 'invalid_request'],
  ['only unknown scopes', { scope: 'admin * openid' }, 'invalid_scope'],
  ['only offline_access', { scope: 'offline_access' }, 'invalid_scope'],
  ['offline_access twice', { scope: 'offline_access offline_access' }, 'invalid_scope'],
  ['only openid', { scope: 'openid' }, 'invalid_scope'],
  ['only scopes of OpenID', { scope: 'offline_access openid' }, 'invalid_scope'],
  ['only scopes above the ceiling', { scope: 'mcp_resources delete:tools' }, 'invalid_scope'],
  ['another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
  ['prompt=none', { prompt: 'none' }, 'login_required'],
  ['a NUL character', { login_hint: 'ada\0' }, 'invalid_request'],
  ['a response in a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['a request URI', { request_uri: 'https://a.example.com/r' }, 'request_uri_not_supported'],
])('authorize: %s is refused at the client, with iss and state', async (_title, params, error) => {
  const { status, location } = await peer.start(app, params);
  expect(status).toBe(303);
  const target = new URL(location);
  expect(`${target.origin}${target.pathname}`).toBe(REDIRECT);
  // Errors of response types with tokens come in the fragment.
  const sent = new URLSearchParams(target.search || target.hash.slice(1));
  expect(Object.fromEntries(sent)).toMatchObject({
    ...{ error, state: 's1', iss: gateway.config.PUBLIC_URL },
  });
});

test.each<[title: string, suffix: () => string, error: string]>([
  ['a slash after the resource', () => `&resource=${mcp()}/`, 'invalid_target'],
  ['a fragment of the resource', () => `&resource=${mcp()}%23x`, 'invalid_target'],
  ['two resources', () => `&resource=${mcp()}&resource=https://b.example.com`, 'invalid_target'],
  ['a scope sent twice', () => '&scope=mcp_tools&scope=mcp_prompts', 'invalid_request'],
  ['a state sent twice', () => '&state=s2', 'invalid_request'],
])('authorize: %s is refused (rel:B5-9, rel:B5-10)', async (_title, suffix, error) => {
  const { location } = await peer.browse(`${authorizeUrl()}${suffix()}`);
  expect(new URL(location).searchParams.get('error')).toBe(error);
});

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const authorizeUrl = () =>
  `/oauth/authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id: app.id, redirect_uri: REDIRECT, state: 's1' },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
  }).toString()}`;

test.each<[title: string, params: Params]>([
  ['OpenID parameters', { nonce: 'n', max_age: '0', acr_values: 'x', claims: '{}' }],
  ['prompts that consent satisfies', { prompt: 'login consent' }],
  ['scopes of OpenID with known ones', { scope: 'openid offline_access profile mcp_tools' }],
  ['the resource', { resource: undefined }],
])('authorize accepts %s', async (_title, params) => {
  const { status, uid } = await peer.start(app, params);
  expect({ status, isConsent: uid !== '' }).toEqual({ status: 303, isConsent: true });
});

test('authorize accepts the resource twice, as Codex sends it (rel:B5-9)', async () => {
  const { location } = await peer.browse(`${authorizeUrl()}&resource=${mcp()}&resource=${mcp()}`);
  expect(location).toMatch(/^\/oauth\/consent\//);
});

test('a client that requires PKCE is told at its first request what to send, and its person is shown nothing (rel:B5-5)', async () => {
  const without = { code_challenge: undefined, code_challenge_method: undefined };
  for (const client of [app, server]) {
    const { location, uid } = await peer.start(client, without);
    const { origin, pathname, searchParams } = new URL(location);

    expect([`${origin}${pathname}`, uid]).toEqual([REDIRECT, '']);
    expect(searchParams.get('error')).toBe('invalid_request');
    const description = searchParams.get('error_description');
    for (const parameter of ['code_challenge', 'code_challenge_method=S256'])
      expect(description).toContain(parameter);
  }
});

test('any port of a registered loopback host matches, another loopback host does not (rel:B5-2)', async () => {
  const native = await insertClient(world, { owner, redirect_uris: [LOOPBACK] });
  const at = (redirect_uri: string) => peer.start(native, { redirect_uri });
  expect((await at('http://127.0.0.1:51234/callback')).uid).not.toBe('');
  expect((await at('http://localhost:51234/callback')).status).toBe(400);
  for (const other of ['51234/other', '01234/callback', '0/callback', '65536/callback'])
    expect((await at(`http://127.0.0.1:${other}`)).status).toBe(400);
  expect((await at('http://127.0.0.1.evil.example.com/callback')).status).toBe(400);
});

test('a confidential client may leave out PKCE only where it is not required, but never the verifier of its challenge (rel:B5-5, rel:B5-6)', async () => {
  const without = { code_challenge: undefined, code_challenge_method: undefined };
  const refused = new URL((await peer.start(server, without)).location);
  expect(refused.searchParams.get('error')).toBe('invalid_request');

  const lax = await insertClient(world, {
    ...{ owner: { account_id: ada.account_id }, type: 'confidential', require_pkce: false },
    redirect_uris: [REDIRECT, `${REDIRECT}/other`],
  });
  const { code } = await peer.authorize(lax, ada, without);
  const exchange = { grant_type: 'authorization_code', code };
  // Without a challenge, only the redirect URI ties the code to its request.
  expect(await peer.token(lax, exchange)).toMatchObject({
    ...{ status: 400, body: { error: 'invalid_request' } },
  });
  expect((await peer.token(lax, { ...exchange, redirect_uri: REDIRECT })).status).toBe(200);

  const { code_verifier: _, ...grant } = await peer.authorize(server, ada);
  const answer = await peer.token(server, {
    ...{ grant_type: 'authorization_code', redirect_uri: REDIRECT, ...grant },
  });
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('metadata comes from PUBLIC_URL, not from the headers that a request sends (rel:B5-17)', async () => {
  const issuer = gateway.config.PUBLIC_URL;
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
  ]) {
    const answer = await sendRaw(
      gateway.url,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: evil.example.com\r\n` +
        'X-Forwarded-Proto: https\r\nForwarded: host=evil.example.com\r\nConnection: close\r\n\r\n',
    );
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('evil.example.com');
    expect(answer.text).toContain(issuer);
  }
  const { location } = await peer.start(app, { scope: 'nothing' });
  expect(new URL(location).searchParams.get('iss')).toBe(issuer);
});

test('authorization requests of one address are limited, and a page says so (decisions 9)', async () => {
  const send = async (address: string, path: string) => {
    const headers = { 'x-forwarded-for': address, 'accept-language': 'fr' };
    const answer = await fetch(`${gateway.url}${path}`, { headers });
    const { status, headers: sent } = answer;
    return { status, wait: Number(sent.get('retry-after')), sent, text: await answer.text() };
  };
  const path = '/oauth/authorize?client_id=unknown';
  for (let count = 0; count < 600; count += 1) await send('198.51.100.7', path);

  const refused = await send('198.51.100.7', path);
  expect(refused.status).toBe(429);
  expect(refused.wait).toBeGreaterThan(0);
  expect(refused.sent.get('content-type')).toMatch(/^text\/html/);
  expect(refused.sent.get('vary')).toContain('Accept-Language');
  expect(refused.text).toContain('<html lang="fr"');
  expect((await send('198.51.100.7', '/oauth/jwks')).status).toBe(200);
  expect((await send('198.51.100.8', path)).status).toBe(400);
});

test('two people authorize in one browser, and each gets a connection of their own', async () => {
  const bob = await signUp(world, gateway);
  const client = await insertClient(world, { owner });
  const subjects: string[] = [];
  for (const person of [ada, bob, ada]) {
    const { body } = await peer.exchange(client, await peer.authorize(client, person));
    const [, claims] = body['access_token']!.split('.');
    subjects.push(JSON.parse(Buffer.from(claims!, 'base64url').toString()).sub);
  }
  expect(subjects).toEqual([ada.account_id, bob.account_id, ada.account_id]);
  const rows = await world.query('SELECT id FROM oauth_connection WHERE client_id = $1', [
    client.id,
  ]);
  expect(rows).toHaveLength(3);
});

test('hostile bytes get a documented answer, and the process stays alive', async () => {
  const bodies = [
    '%00',
    '%ff%fe',
    'a=%zz',
    '&&&&',
    '=',
    'grant_type=%E0%A4%A',
    'x'.repeat(5_000),
    `grant_type=${'%F0%9F%98%80'.repeat(500)}`,
    'client_id[]=1&client_id[a]=2',
    '__proto__=1&constructor=2',
    'grant_type=authorization_code&code=%00',
    'grant_type=refresh_token&refresh_token=' + 'a'.repeat(100_000),
  ];
  for (const body of bodies)
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      const response = await fetch(`${gateway.url}${path}`, formPost(body));
      expect([400, 401, 413], body.slice(0, 40)).toContain(response.status);
      const { error } = (await response.json()) as { error: string };
      expect(error).toMatch(/^(?:invalid_|unsupported_|unauthorized_)/);
    }
  for (const query of bodies.map((body) => body.slice(0, 6_000))) {
    const { status } = await peer.browse(`/oauth/authorize?${query}`);
    expect([400, 431], query.slice(0, 40)).toContain(status);
  }
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
});

test.each(['/oauth/token', '/oauth/revoke'])(
  '%s accepts a form of 64 kB, and answers a larger one with an error of RFC 6749',
  async (path) => {
    const sizes: [body: (size: number) => string | ReadableStream, size: number, status: number][] =
      [
        [filled, 65_536, 400],
        [filled, 65_537, 413],
        [(size) => new Blob([filled(size)]).stream(), 65_536, 400],
        [(size) => new Blob([filled(size)]).stream(), 65_537, 413],
        [filled, 2_097_153, 413],
      ];
    for (const [bodyOf, size, status] of sizes) {
      const body = bodyOf(size);
      const init = {
        ...formPost(''),
        body,
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      };
      const response = await fetch(`${gateway.url}${path}`, init as RequestInit);
      expect([size, response.status]).toEqual([size, status]);
      const { error } = (await response.json()) as { error: string };
      if (status === 413) {
        expect(error).toBe('invalid_request');
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
    }
  },
);
const filled = (size: number) => 'a=b&'.repeat(size).slice(0, size);

test.each(['/oauth/authorize', '/oauth/jwks', '/.well-known/oauth-authorization-server'])(
  'a POST of %s is refused without reading its body',
  async (path) => {
    const response = await fetch(`${gateway.url}${path}`, formPost(filled(3_000_000)));
    expect(response.status).toBe(405);
  },
);
