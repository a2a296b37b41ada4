import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { ADMIN, askAs, MEMBER, outcomeOf } from '../../../support/people/organizations.ts';
import type { Errors } from '../../../support/people/organizations.ts';
import { goodPassword, selectTools } from '../../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../../support/people/people.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { ask } from '../../mcp/key-holder.ts';

const teams = await useTeams();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));

const bearerOf = (token: string) => ({ authorization: `Bearer ${token}` });

/** Calls the calculator; returns the HTTP status, or the code of the tool error. */
async function call(token: string, name = 'calculator') {
  const { status, body } = await ask(`${teams.gateway.url}/mcp`, bearerOf(token), 'tools/call', {
    name,
    arguments: name === 'setup' ? { client: 'other' } : { expression: '1' },
  });
  return body.result?.structuredContent?.error?.code ?? status;
}

/** Sends a REST request with a token. */
const rest = (who: SignedUp, token: string, request: SendRequest) =>
  askAs<Errors>({ ...who, bearer: bearerOf(token) }, request);

const PERSONAL = ['mcp_tools', 'read:prompts', 'read:usage'];

test('a token of a personal connection calls tools, and reads what its scopes name', async () => {
  const { owner } = await teams.organization();
  await selectTools(owner, ['calculator']);
  const client = await support.client({ owner, scopes: [...PERSONAL, 'mcp_prompts'] });
  const id = await support.authorize(client, owner, { scopes: PERSONAL });
  const token = await support.token(id);
  const narrow = await support.token(id, { scope: 'read:prompts' });

  expect(await call(token)).toBe(200);
  expect(await call(narrow)).toBe('capability_denied');
  expect(await call(narrow, 'setup')).toBe(200);
  expect(await call(token)).toBe(200);
  expect((await rest(owner, token, { path: '/api/me/prompts' })).status).toBe(200);
  const refused = await rest(owner, narrow, { path: '/api/me/usage' });
  expect(outcomeOf(refused)).toEqual([403, 'insufficient_scope']);
  expect(refused.body.errors?.[0]?.detail).toEqual({ permission: 'can_view_usage' });
  expect(refused.headers.get('www-authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="read:usage"',
  );
  // Neither a scope that the connection lacks, nor one above the client's ceiling, helps.
  const wide = await support.token(id, { scope: 'mcp_tools mcp_prompts create:prompts' });
  const create = { path: '/api/me/prompts', body: {} };
  expect(outcomeOf(await rest(owner, wide, create))[0]).not.toBe(201);
  await teams.world.query('UPDATE oauth_client SET allowed_scopes = $2 WHERE id = $1', [
    ...[client.id, ['read:prompts']],
  ]);
  expect(await call(token)).toBe('capability_denied');
  expect(outcomeOf(await rest(owner, token, { path: '/api/keys' }))).toEqual([
    ...[403, 'interactive_only'],
  ]);
  await support.revoke(id);
  expect(await call(token)).toBe(401);
  expect((await rest(owner, token, { path: '/api/me/prompts' })).status).toBe(401);
});

test('a personal token sees no organization, and the other way round (A6, G6)', async () => {
  const { id: organization_id, owner } = await teams.organization();
  const path = `/api/organizations/${organization_id}`;
  const personal = await support.client({ owner, scopes: PERSONAL });
  const shared = await support.client({
    ...{ owner: { organization_id }, scopes: ['mcp_tools', 'read:organization_members'] },
  });
  const own = await support.token(await support.authorize(personal, owner));
  const token = await support.token(await support.authorize(shared, owner));

  expect(outcomeOf(await rest(owner, own, { path: `${path}/members` }))).toEqual([
    ...[404, 'not_found'],
  ]);
  expect(outcomeOf(await rest(owner, token, { path: '/api/me/prompts' }))).toEqual([
    ...[401, 'invalid_credential'],
  ]);
  expect((await rest(owner, token, { path: `${path}/members` })).status).toBe(200);
  const roles = await rest(owner, token, { path: `${path}/roles` });
  expect(outcomeOf(roles)).toEqual([403, 'insufficient_scope']);
  const other = await teams.organization();
  const foreign = { path: `/api/organizations/${other.id}/members` };
  expect(outcomeOf(await rest(owner, token, foreign))).toEqual([404, 'not_found']);
});

test('a person’s role counts at the next request, unless authority was capped (SC4)', async () => {
  const { id: organization_id, owner } = await teams.organization();
  const mia = await teams.join(organization_id, 'mia', [ADMIN]);
  const scopes = ['mcp_tools', 'read:organization_roles'];
  const live = await support.client({ owner: { organization_id }, scopes });
  const capped = await support.client({
    ...{ owner: { organization_id }, scopes },
    grant_types: ['authorization_code', 'client_credentials'],
  });
  const liveToken = await support.token(await support.authorize(live, mia));
  const cappedToken = await support.token(await support.authorize(capped, mia));
  const machineToken = await support.token(await support.machine(capped));
  const read = async (token: string) =>
    outcomeOf(await rest(owner, token, { path: `/api/organizations/${organization_id}/roles` }));
  const readAll = async () => [
    await read(liveToken),
    await read(cappedToken),
    await read(machineToken),
  ];

  expect(await readAll()).toEqual([[200], [200], [200]]);
  expect(await call(machineToken, 'setup')).toBe(200);
  await askAs(owner, {
    ...{ method: 'PATCH', body: { role_ids: [MEMBER] } },
    path: `/api/organizations/${organization_id}/members/${mia.account_id}`,
  });
  expect(await readAll()).toEqual([[403, 'permission_denied'], [200], [200]]);

  await askAs(mia, {
    ...{ method: 'DELETE' },
    path: `/api/organizations/${organization_id}/members/${mia.account_id}`,
  });
  expect(await readAll()).toEqual([[404, 'not_found'], [404, 'not_found'], [200]]);
  expect([await call(liveToken), await call(cappedToken)]).toEqual([404, 404]);

  await askAs(owner, {
    ...{ method: 'DELETE', path: `/api/organizations/${organization_id}` },
    body: { confirm: 'Acme', current_password: goodPassword },
  });
  await expect
    .poll(() => teams.world.query('SELECT FROM organization WHERE id = $1', [organization_id]))
    .toEqual([]);
  expect(await readAll()).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
    [401, 'invalid_credential'],
  ]);
  expect([await call(liveToken), await call(machineToken)]).toEqual([404, 401]);
});
