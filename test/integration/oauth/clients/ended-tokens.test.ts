import { afterAll, expect, test } from 'vitest';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { askAs, at, driftOf } from '../../../support/people/organizations.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { signUp } from '../../../support/people/people.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { ask } from '../../mcp/key-holder.ts';
import { clientsIn, edit, hybridDraft, OWN, publicDraft, registered } from './registering.ts';

const teams = await useTeams();
const { owner, id: acme } = await teams.organization();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

/** Returns the status of a system tool on the other gateway. */
async function call(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await ask(`${teams.otherGateway.url}/mcp`, headers, 'tools/call', {
    ...{ name: 'setup', arguments: { client: 'other' } },
  });
  return status;
}

/** Authorizes a registered client as a person, and returns a token. */
async function tokenOf(
  client: Awaited<ReturnType<typeof registered>>,
  person: SignedUp,
): Promise<string> {
  const isShared = !client.path.startsWith(OWN);
  const stored = {
    ...{ id: client.id, grant_types: client.grant_types, allowed_scopes: client.allowed_scopes },
    ...{ organization_id: isShared ? acme : null, disabled_at: null },
    team_ids: client.follows_memberships || !isShared ? null : client.teams.map(({ id }) => id),
    has_own_authority: client.grant_types.includes('client_credentials'),
  };
  return support.token(await support.authorize(stored, person));
}

/** Returns a token of the client itself. */
async function machineToken(client_id: string): Promise<string> {
  const [machine] = await teams.world.query<{ id: string }>(
    `SELECT id FROM oauth_connection
     WHERE client_id = $1 AND kind = 'machine' AND revoked_at IS NULL`,
    [client_id],
  );
  return support.token(machine!.id);
}

test('tokens of a disabled client are refused at the next request on every gateway, and stay so when it is enabled', async () => {
  const client = await registered(owner, clientsIn(acme), hybridDraft);
  const tokens = [await tokenOf(client, owner), await machineToken(client.id)];
  expect(await Promise.all(tokens.map(call))).toEqual([200, 200]);
  expect((await askAs(owner, { path: client.path })).body).toMatchObject({ connections: 2 });

  await edit(owner, client.path, { disabled: true });
  expect(await Promise.all(tokens.map(call))).toEqual([401, 401]);
  const enabled = await edit(owner, client.path, { disabled: false });
  expect(enabled.body).toMatchObject({ disabled: false, connections: 1 });
  expect(await Promise.all(tokens.map(call))).toEqual([401, 401]);
  expect(await call(await machineToken(client.id))).toBe(200);
});

test('tokens of a deleted client are refused at the next request, for everyone who authorized it', async () => {
  const bob = await signUp(teams.world, teams.gateway, 'bob');
  const client = await registered(owner, OWN);
  const tokens = [await tokenOf(client, owner), await tokenOf(client, bob)];
  expect(await Promise.all(tokens.map(call))).toEqual([200, 200]);

  const other = at(owner, teams.otherGateway);
  expect((await askAs(other, { method: 'DELETE', path: client.path })).status).toBe(204);
  expect(await Promise.all(tokens.map(call))).toEqual([401, 401]);
});

test('a hybrid that may no longer act by itself loses the connections with its own authority (SC4)', async () => {
  const client = await registered(owner, clientsIn(acme), hybridDraft);
  const tokens = [await tokenOf(client, owner), await machineToken(client.id)];
  expect(await Promise.all(tokens.map(call))).toEqual([200, 200]);

  const { body: plain } = await edit(owner, client.path, { grant_types: ['authorization_code'] });
  expect(await Promise.all(tokens.map(call))).toEqual([401, 401]);
  const own = await tokenOf({ ...plain, path: client.path }, owner);
  expect(await call(own)).toBe(200);
  // Connections that act as their person go on when it may act by itself again.
  await edit(owner, client.path, { grant_types: hybridDraft.grant_types });
  expect(await Promise.all([...tokens, own].map(call))).toEqual([401, 401, 200]);
});

test('the rows refuse what a stopped gateway has not revoked (SC4)', async () => {
  const client = await registered(owner, clientsIn(acme), hybridDraft);
  const tokens = [await tokenOf(client, owner), await machineToken(client.id)];
  const set = (change: string) =>
    teams.world.query(`UPDATE oauth_client SET ${change} WHERE id = $1`, [client.id]);

  await set(`grant_types = '{authorization_code}'`);
  expect(await Promise.all(tokens.map(call))).toEqual([401, 401]);
  await set(`grant_types = '{authorization_code,client_credentials}', disabled_at = now()`);
  expect(await Promise.all(tokens.map(call))).toEqual([401, 401]);
  // Enabling revokes them first.
  await edit(owner, client.path, { disabled: false });
  expect(await Promise.all(tokens.map(call))).toEqual([401, 401]);
});

test('a deleted account takes its clients along, with the connections of others', async () => {
  const carl = await signUp(teams.world, teams.gateway, 'carl');
  const client = await registered(carl, OWN, publicDraft);
  const token = await tokenOf(client, owner);
  expect(await call(token)).toBe(200);

  const body = { confirm: carl.email, current_password: carl.password };
  const deleted = await askAs(carl, { method: 'DELETE', path: '/api/user/account', body });
  expect([deleted.status, await call(token)]).toEqual([204, 401]);
});
