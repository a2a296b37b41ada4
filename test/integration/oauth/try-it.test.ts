import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import type { TestClient } from '../../support/people/oauth.ts';
import { askAs, createOrganization, outcomeOf } from '../../support/people/organizations.ts';
import { signInAs, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { useWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

const { world, gateway } = await useGateway();
const peer = createOAuthPeer(gateway);
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const ada = await signUp(world, gateway);
const acme = (await createOrganization(ada, 'Acme')).id;
const tryIt = await builtIn(world, gateway);

async function builtIn({ query }: World, { config }: Gateway): Promise<TestClient> {
  const [row] = await query<{ id: string; allowed_scopes: string[] }>(
    `SELECT id, allowed_scopes FROM oauth_client WHERE built_in = 'toolgate-try-it'`,
  );
  const redirect_uri = `${config.DASHBOARD_URL}/app/try/callback`;
  return { id: row!.id, secret: null, redirect_uri, scopes: row!.allowed_scopes };
}

async function connect(who: SignedUp, params: Record<string, unknown> = {}) {
  const grant = await peer.authorize(tryIt, who, params);
  const { body } = await peer.exchange(tryIt, grant);
  const token = body['access_token']!;
  return { ...body, token, id: decodeJwt(token)['cid'] as string };
}

async function statusOf(token: string, { url } = gateway, headers = {}): Promise<number> {
  const { status } = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', ...headers },
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        ...{ protocolVersion: '2025-11-25', capabilities: {} },
        clientInfo: { name: 'test', version: '1' },
      },
    }),
  });
  return status;
}

const revokedAt = async (id: string) =>
  (await world.query('SELECT revoked_at FROM oauth_connection WHERE id = $1', [id]))[0]![
    'revoked_at'
  ];

test('its token lasts 15 minutes, has the four mcp scopes at most, and cannot be refreshed', async () => {
  const { token, ...body } = await connect(ada);
  const { exp, iat, scope } = decodeJwt(token);
  expect([exp! - iat!, body['expires_in']]).toEqual([900, 900]);
  expect(String(scope).split(' ').toSorted()).toEqual([
    'mcp_agents',
    'mcp_prompts',
    'mcp_resources',
    'mcp_tools',
  ]);
  expect(body).not.toHaveProperty('refresh_token');
  const machine = await peer.token(tryIt, { grant_type: 'client_credentials' });
  expect(machine.body['error']).toBe('unauthorized_client');
});

test('no one finds, edits or deletes it, and it answers at the dashboard alone', async () => {
  for (const base of ['/api/me', `/api/organizations/${acme}`]) {
    const path = `${base}/oauth-clients`;
    const { body } = await askAs<{ data: unknown[] }>(ada, { path });
    expect(body.data).toEqual([]);
    for (const request of [
      { path: `${path}/${tryIt.id}` },
      { path: `${path}/${tryIt.id}`, method: 'PATCH', body: { name: 'Mine' } },
      { path: `${path}/${tryIt.id}/secrets`, method: 'POST', body: {} },
      { path: `${path}/${tryIt.id}`, method: 'DELETE' },
    ] as const)
      expect([request, outcomeOf(await askAs(ada, request))]).toEqual([
        request,
        [404, 'not_found'],
      ]);
  }
  for (const redirect_uri of ['https://evil.example/app/try/callback', '/app/try/callback']) {
    const { status, location } = await peer.start({ ...tryIt, redirect_uri });
    expect([status, location]).toEqual([400, '']);
  }
});

test('it cannot be used without PKCE', async () => {
  const { location } = await peer.start(tryIt, { code_challenge: undefined });
  expect(location).toContain('error=invalid_request');
});

test('it works in the organization that the request names, in the teams that its person chose', async () => {
  const red = await createTeam(ada, acme, 'red');
  await createTeam(ada, acme, 'blue');
  const decision = { allow: true, team_ids: [red.id] };
  const { token, ...connection } = await connect(ada, { organization_id: acme, decision });
  const [row] = await world.query(
    `SELECT organization_id, follows_teams, ARRAY(SELECT team_id FROM oauth_connection_team
       WHERE connection_id = c.id) AS teams FROM oauth_connection c WHERE id = $1`,
    [connection.id],
  );
  expect(row).toEqual({ organization_id: acme, follows_teams: false, teams: [red.id] });
  expect(await statusOf(token)).toBe(200);
});

test('an organization that the person is not in looks like one that does not exist', async () => {
  const { id } = await createOrganization(await signUp(world, gateway, 'zoe'), 'Hidden');
  const absent = '00000000-0000-4000-8000-000000000000';
  const seen = async (organization_id: string) => {
    const started = await peer.start(tryIt, { organization_id });
    const cookies = [...ada.cookies].map(([name, value]) => `${name}=${value}`);
    const cookie = [started.cookie, ...cookies].join('; ');
    const { body } = await peer.browse(`/oauth/consent/${started.uid}`, cookie);
    const refused = await peer.decide(started, ada);
    return { body, outcome: [refused.status, refused.body.errors?.[0]?.code] };
  };
  const hidden = await seen(id);
  expect(hidden).toEqual(await seen(absent));
  expect(hidden.outcome).toEqual([422, 'not_a_member']);
  expect(hidden.body).not.toContain('Hidden');
  expect(hidden.body).not.toContain('value="allow"');
});

test('a name of an organization that is not a UUID is refused', async () => {
  const { location } = await peer.start(tryIt, { organization_id: "x' OR true --" });
  expect(location).toContain('error=invalid_request');
});

test('a registered client ignores an organization named in the request', async () => {
  const own = await insertClient(world, { owner: { account_id: ada.account_id } });
  const grant = await peer.authorize(own, ada, { organization_id: acme });
  const cid = decodeJwt((await peer.exchange(own, grant)).body['access_token']!)['cid'];
  const [row] = await world.query(
    'SELECT organization_id, session_id FROM oauth_connection WHERE id = $1',
    [cid],
  );
  expect(row).toEqual({ organization_id: null, session_id: null });
});

test.each([
  ['signing out', { method: 'POST', path: '/api/auth/logout' }],
  ['ending all sessions', { method: 'DELETE', path: '/api/auth/sessions' }],
] as const)('%s rejects its next request, and revokes it', async (_name, request) => {
  const bea = await signUp(world, gateway, 'bea');
  const other = await signInAs(bea);
  const [first, second] = [await connect(bea), await connect(other)];
  expect(await statusOf(first.token)).toBe(200);
  await askAs(bea, request);
  const isAll = request.method === 'DELETE';
  expect([await statusOf(first.token), await statusOf(second.token)]).toEqual([
    401,
    isAll ? 401 : 200,
  ]);
  await support.connections.revokeUnusable();
  expect(await revokedAt(first.id)).not.toBeNull();
  expect((await revokedAt(second.id)) !== null).toBe(isAll);
});

test('it is revoked once its token has expired', async () => {
  const [old, young] = [await connect(ada), await connect(ada)];
  await world.query(
    `UPDATE oauth_connection SET activated_at = now() - interval '15 minutes 1 second'
     WHERE id = $1`,
    [old.id],
  );
  await support.connections.revokeUnusable();
  expect([await revokedAt(old.id), await revokedAt(young.id)]).toEqual([expect.anything(), null]);
});

test('the dashboard may call `/mcp` where MCP_ORIGINS names other origins only', async () => {
  const strict = await useWorld({ MCP_ORIGINS: 'https://agents.example' });
  const other = await strict.gateway();
  const statusFrom = (origin: string) => statusOf('none', other, { origin });
  expect(await statusFrom('https://elsewhere.example')).toBe(403);
  expect(await statusFrom(other.config.DASHBOARD_URL)).toBe(401);
});

describeInBrowser('the consent page of the dashboard’s own client', (browser) => {
  test('it says that the client is part of the service, and how long access lasts', async () => {
    const { page, errors } = await openAs(browser(), gateway, ada);
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: tryIt.id, redirect_uri: tryIt.redirect_uri },
      ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256', state: 's' },
    });
    await page.goto(`/oauth/authorize?${query.toString()}`);
    await page.getByText('Part of this service').waitFor();
    await page.getByText('Access ends after 15 minutes').waitFor();
    expect(await page.getByText('Registered by').count()).toBe(0);
    expect(errors).toEqual([]);
  });
});
