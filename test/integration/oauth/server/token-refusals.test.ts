import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient, REDIRECT } from '../../../support/people/oauth.ts';
import { signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { formPost, jsonPost } from './posts.ts';

const { world, gateway } = await useGateway();
const peer = createOAuthPeer(gateway);
const ada = await signUp(world, gateway);
const owner = { account_id: ada.account_id };
const app = await insertClient(world, { owner, redirect_uris: [REDIRECT] });
const server = await insertClient(world, { owner, type: 'confidential' });

type Params = Record<string, string | undefined>;

test.each<[title: string, change: (grant: Grant) => Params]>([
  ['a wrong verifier', () => ({ code_verifier: 'x'.repeat(43) })],
  ['no verifier', () => ({ code_verifier: undefined })],
  ['another redirect URI', () => ({ redirect_uri: `${REDIRECT}/` })],
  ['another code', ({ code }) => ({ code: `${code.slice(1)}A` })],
  ['another resource', () => ({ resource: 'https://b.example.com/mcp' })],
])('token: %s does not use up the code (rel:B5-6, rel:B5-7)', async (_title, change) => {
  const grant = await peer.authorize(app, ada);
  const sent = { redirect_uri: REDIRECT, ...grant };
  const refused = await peer.token(app, defined({ ...exchanged, ...sent, ...change(grant) }));
  expect(refused.status).toBe(400);
  expect(['invalid_grant', 'invalid_target']).toContain(refused.body['error']);
  expect((await peer.exchange(app, grant)).status).toBe(200);
});

interface Grant {
  code: string;
  code_verifier: string;
}
const exchanged = { grant_type: 'authorization_code' };
const defined = (params: Params) =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;

test('a code and a refresh token of another client are invalid (rel:B5-7, rel:B5-14)', async () => {
  const grant = await peer.authorize(app, ada);
  expect(await peer.exchange(server, grant)).toMatchObject(INVALID_GRANT);
  const tokens = await peer.exchange(app, grant);
  expect(tokens.status).toBe(200);
  const refresh_token = tokens.body['refresh_token']!;
  expect(await peer.refresh(server, refresh_token)).toMatchObject(INVALID_GRANT);
  expect(
    await peer.refresh(app, refresh_token, { scope: 'mcp_tools mcp_resources' }),
  ).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  const narrower = await peer.refresh(app, refresh_token, { scope: 'mcp_tools' });
  expect(narrower).toMatchObject({ status: 200, body: { scope: 'mcp_tools' } });
});
const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };

test('nobody gets a token for a person, client or connection that has ended (rel:H2)', async () => {
  const client = await insertClient(world, { owner });
  const refreshed = async () => {
    const { body } = await peer.exchange(client, await peer.authorize(client, ada));
    return body['refresh_token']!;
  };
  const token = await refreshed();
  await world.query('UPDATE oauth_client SET disabled_at = now() WHERE id = $1', [client.id]);
  expect(await peer.refresh(client, token)).toMatchObject({
    ...{ status: 401, body: { error: 'invalid_client' } },
  });
  await world.query('UPDATE oauth_client SET disabled_at = NULL WHERE id = $1', [client.id]);
  const [other, code] = [await refreshed(), await peer.authorize(client, ada)];
  await world.query("UPDATE account SET status = 'deactivated' WHERE id = $1", [ada.account_id]);
  try {
    // The client is this person's own, and ends with the account.
    expect((await peer.refresh(client, other)).status).toBe(401);
    expect((await peer.exchange(client, code)).status).toBe(401);
  } finally {
    await world.query("UPDATE account SET status = 'active' WHERE id = $1", [ada.account_id]);
  }
});

test.each<[title: string, params: Params, status: number, error: string]>([
  ['a wrong secret', { client_secret: 'cs_wrong' }, 401, 'invalid_client'],
  ['no secret', { client_secret: undefined }, 401, 'invalid_client'],
  ['an unknown client', { client_id: 'x' }, 401, 'invalid_client'],
  ['no client', { client_id: undefined }, 400, 'invalid_request'],
  ['a password', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  [
    'a device code',
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
    400,
    'unsupported_grant_type',
  ],
  [
    'an exchange',
    { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' },
    400,
    'unsupported_grant_type',
  ],
  ['no grant type', { grant_type: undefined }, 400, 'invalid_request'],
  ['credentials of a personal client', {}, 400, 'unauthorized_client'],
])('token: %s is refused (rel:B5-11 to rel:B5-15)', async (_title, params, status, error) => {
  const sent = { grant_type: 'client_credentials', ...peer.identify(server), ...params };
  const answer = await peer.post('/oauth/token', defined(sent));
  expect(answer).toMatchObject({ status, body: { error } });
  expect(answer.headers.get('cache-control')).toContain('no-store');
  expect(JSON.stringify(answer.body)).not.toMatch(/cs_|stack|postgres/i);
});

test.each<[title: string, path: string, init: RequestInit, status: number]>([
  ['GET of the token endpoint', '/oauth/token', {}, 405],
  ['GET of the revocation endpoint', '/oauth/revoke', {}, 405],
  ['POST of the authorization endpoint', '/oauth/authorize', { method: 'POST' }, 405],
  ['JSON', '/oauth/token', jsonPost({ grant_type: 'client_credentials' }), 415],
  ['a secret in the query', '/oauth/token?client_secret=x', formPost('grant_type=a'), 400],
  ['Basic', '/oauth/token', formPost('grant_type=a', { authorization: 'Basic eDp5' }), 401],
  ['Basic at revoke', '/oauth/revoke', formPost('token=a', { authorization: 'Basic eDp5' }), 401],
  ['a parameter twice', '/oauth/token', formPost('grant_type=a&grant_type=b'), 400],
  ['dynamic registration', '/oauth/register', jsonPost({ redirect_uris: [REDIRECT] }), 404],
  ['OpenID Connect discovery', '/.well-known/openid-configuration', {}, 404],
  ['another resource', '/.well-known/oauth-protected-resource', {}, 404],
  ['device authorization', '/oauth/device/auth', formPost('client_id=x'), 404],
  ['userinfo', '/oauth/me', {}, 404],
])('%s gets %s %s (rel:B5-11, rel:B5-16)', async (_title, path, init, status) => {
  const response = await fetch(`${gateway.url}${path}`, init);
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  await response.json();
});

test('a Content-Type that cannot be parsed gets an error of RFC 6749', async () => {
  const answer = await peer.post('/oauth/token', 'grant_type=a', { 'content-type': '' });
  expect(answer).toMatchObject({ status: 415, body: { error: 'invalid_request' } });
});
