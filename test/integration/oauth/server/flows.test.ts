import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'openid-client';
import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient, REDIRECT, SCOPES } from '../../../support/people/oauth.ts';
import { signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const peer = createOAuthPeer(gateway);
const ada = await signUp(world, gateway);

test('openid-client discovers the server, authorizes, refreshes and revokes', async () => {
  const client = await insertClient(world, {
    ...{ owner: { account_id: ada.account_id }, type: 'confidential' },
  });
  const config = await oauth.discovery(
    new URL(gateway.config.PUBLIC_URL),
    client.id,
    client.secret!,
    oauth.ClientSecretPost(client.secret!),
    { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
  );
  const code_verifier = oauth.randomPKCECodeVerifier();
  const target = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: 'mcp_tools create:prompts unknown openid offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    state: 'state-1',
    resource: `${gateway.config.PUBLIC_URL}/mcp`,
  });
  const tokens = await oauth.authorizationCodeGrant(config, await peer.allow(target, ada), {
    pkceCodeVerifier: code_verifier,
    expectedState: 'state-1',
  });
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
  expect(tokens.scope!.split(' ').toSorted()).toEqual([
    'create:prompts',
    'mcp_tools',
    'read:prompts',
  ]);

  const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri!));
  const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, {
    ...{
      issuer: gateway.config.PUBLIC_URL,
      audience: `${gateway.config.PUBLIC_URL}/mcp`,
      typ: 'at+jwt',
    },
    algorithms: ['RS256'],
  });
  expect(protectedHeader.kid).toMatch(/^[0-9a-f-]{36}$/);
  const [connection] = await world.query('SELECT * FROM oauth_connection WHERE client_id = $1', [
    client.id,
  ]);
  expect(payload).toMatchObject({
    ...{ sub: ada.account_id, client_id: client.id, cid: connection!['id'], scope: tokens.scope },
  });
  expect(payload.exp! - payload.iat!).toBe(3_600);
  expect(payload.jti).toBeTruthy();
  expect(connection!['activated_at']).not.toBeNull();

  const renewed = await oauth.refreshTokenGrant(config, tokens.refresh_token!);
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect(renewed.scope).toBe(tokens.scope);
  await oauth.tokenRevocation(config, renewed.refresh_token!);
  await expect(oauth.refreshTokenGrant(config, renewed.refresh_token!)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

test('a public client needs PKCE; without a scope it is offered its ceiling', async () => {
  const client = await insertClient(world, { owner: { account_id: ada.account_id } });
  const tokens = await peer.exchange(client, await peer.authorize(client, ada));
  expect(tokens.status).toBe(200);
  expect(tokens.body['scope']!.split(' ').toSorted()).toEqual(SCOPES.toSorted());
  expect(tokens.headers.get('cache-control')).toBe('no-store');
  const other = await peer.start(client, {
    code_challenge: undefined,
    code_challenge_method: undefined,
  });
  expect(new URL(other.location).searchParams.get('error')).toBe('invalid_request');
});

test('a code works once; using it again revokes the connection (rel:B5-7)', async () => {
  const client = await insertClient(world, { owner: { account_id: ada.account_id } });
  const grant = await peer.authorize(client, ada);
  const first = await peer.exchange(client, grant);
  const second = await peer.refresh(client, first.body['refresh_token']!);
  expect([first.status, second.status]).toEqual([200, 200]);
  const again = await peer.exchange(client, grant);
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  const dead = await peer.refresh(client, second.body['refresh_token']!);
  expect(dead).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});
