import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient, REDIRECT } from '../../../support/people/oauth.ts';
import type { TestClient } from '../../../support/people/oauth.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const OTHER = 'https://client.example.com/other';

const { world, gateway } = await useGateway(oneAddress);
const peer = createOAuthPeer(gateway);
const ada = await signUp(world, gateway);
const owner = { account_id: ada.account_id };
/** With one redirect URI, and with two. */
const one = await insertClient(world, { owner, redirect_uris: [REDIRECT] });
const two = await insertClient(world, { owner, redirect_uris: [REDIRECT, OTHER] });

const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };
/** The resource as `vercel/ai` and others write it. */
const shouted = () => {
  const { protocol, host } = new URL(gateway.config.PUBLIC_URL);
  return `${protocol}//${host}`.toUpperCase() + '/mcp';
};
const exchange = (
  client: TestClient,
  grant: { code: string; code_verifier?: string },
  more: Record<string, string> = {},
) => peer.token(client, { grant_type: 'authorization_code', ...grant, ...more });

test('authorize sends a client with one redirect URI there if the request names none (rel:B5-2)', async () => {
  const grant = await peer.authorize(one, ada, { redirect_uri: undefined });
  expect((await peer.exchange(one, grant)).status).toBe(200);
  const refused = await peer.start(one, { redirect_uri: undefined, scope: 'unknown' });
  expect(refused.location.startsWith(`${REDIRECT}?`)).toBe(true);
});

test('authorize shows a page to a client with several redirect URIs if the request names none (rel:B5-2)', async () => {
  const { status, location } = await peer.start(two, { redirect_uri: undefined });
  expect({ status, location }).toEqual({ status: 400, location: '' });
});

test('token exchanges a code without a redirect URI, which PKCE replaces, and none with a wrong one (rel:B5-7)', async () => {
  for (const client of [one, two]) {
    const redirect_uri = client === one ? REDIRECT : OTHER;
    const grant = await peer.authorize(client, ada, { redirect_uri });
    for (const wrong of [`${redirect_uri}/`, 'https://evil.example.com/cb', 'x'])
      expect(await exchange(client, grant, { redirect_uri: wrong })).toMatchObject(INVALID_GRANT);
    expect(await exchange(two, grant, { redirect_uri: REDIRECT })).toMatchObject(INVALID_GRANT);
    expect(await exchange(client, { ...grant, code_verifier: 'x'.repeat(43) })).toMatchObject(
      INVALID_GRANT,
    );
    expect((await exchange(client, grant)).status).toBe(200);
  }
  const empty = await peer.authorize(two, ada);
  expect((await exchange(two, empty, { redirect_uri: '' })).status).toBe(200);
});

test('token refuses an unknown, a used and a foreign code without a redirect URI as with one (rel:B5-7)', async () => {
  const grant = await peer.authorize(two, ada);
  expect(await exchange(two, { ...grant, code: 'unknown' })).toMatchObject(INVALID_GRANT);
  expect(await exchange(one, grant)).toMatchObject(INVALID_GRANT);
  const { body } = await exchange(two, grant);
  expect(await exchange(two, grant)).toMatchObject(INVALID_GRANT);
  // The reuse has ended the connection.
  expect(await peer.refresh(two, body['refresh_token']!)).toMatchObject(INVALID_GRANT);
});

test('token refuses a code that is sent twice, with and without a redirect URI (rel:B5-10)', async () => {
  const { code, code_verifier } = await peer.authorize(two, ada);
  const form = new URLSearchParams({ grant_type: 'authorization_code', client_id: two.id, code });
  const answer = await peer.post(
    '/oauth/token',
    `${form.toString()}&code_verifier=${code_verifier}&code=x`,
  );
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
});

test('the resource is accepted with scheme and host in upper case, at authorize and at each grant (rel:B5-9)', async () => {
  const resource = shouted();
  const grant = await peer.authorize(one, ada, { resource });
  const issued = await peer.exchange(one, grant, { resource });
  expect(issued.status).toBe(200);
  const refreshed = await peer.refresh(one, issued.body['refresh_token']!, { resource });
  expect(refreshed.status).toBe(200);
  const claims = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { aud: string };
  for (const { body } of [issued, refreshed])
    expect(claims(body['access_token']!).aud).toBe(`${gateway.config.PUBLIC_URL}/mcp`);
});

test('two ways to write the resource are one resource, and another path is none (rel:B5-9)', async () => {
  const mcp = `${gateway.config.PUBLIC_URL}/mcp`;
  const url = `/oauth/authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id: one.id, redirect_uri: REDIRECT },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
    ...{ code_challenge_method: 'S256' },
  }).toString()}`;
  const both = await peer.browse(`${url}&resource=${mcp}&resource=${shouted()}`);
  expect(both.location).toMatch(/^\/oauth\/consent\//);
  const other = await peer.browse(`${url}&resource=${shouted().replace('/mcp', '/MCP')}`);
  expect(new URL(other.location).searchParams.get('error')).toBe('invalid_target');
  const { code, code_verifier } = await peer.authorize(one, ada);
  const answer = await exchange(one, { code, code_verifier }, { resource: `${mcp}/` });
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
});
