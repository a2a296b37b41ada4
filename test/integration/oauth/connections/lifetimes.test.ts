import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import { askAs } from '../../../support/people/organizations.ts';
import { goodPassword, signUp } from '../../../support/people/people.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { seatsOf } from '../../../support/people/teams.ts';
import { ask } from '../../mcp/key-holder.ts';
import { create } from '../../organizations/content-items.ts';

const teams = await useTeams();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const peer = createOAuthPeer(teams.gateway);

/** Sends an MCP request with a token to the other gateway. */
const request = (token: string, method: string, params: Record<string, unknown> = {}) =>
  ask(
    `${teams.otherGateway.url}/mcp`,
    { authorization: `Bearer ${token}` },
    ...([method, params] as const),
  );

test('two connections of one client have an agent each, and changing or ending one leaves the other (K2)', async () => {
  const ada = await signUp(teams.world, teams.gateway);
  const client = await insertClient(teams.world, { owner: { account_id: ada.account_id } });
  const connect = async (name: string) => {
    const agent = (await create(ada, '/api/me', 'agents', { name })).body.id;
    const decision = { allow: true, default_agent_id: agent };
    const { body } = await peer.exchange(client, await peer.authorize(client, ada, { decision }));
    const claims = Buffer.from(body['access_token']!.split('.')[1]!, 'base64url').toString();
    const { cid } = JSON.parse(claims) as { cid: string };
    return { agent, token: body['access_token']!, path: `/api/me/connections/${cid}` };
  };
  const [writer, reviewer] = [await connect('writer'), await connect('reviewer')];
  const assigned = async (token: string) => {
    const params = { name: 'bootstrap', arguments: { primary_agent: true } };
    const { status, body } = await request(token, 'tools/call', params);
    const { agent } = (body.result?.structuredContent ?? {}) as { agent?: { name?: string } };
    return agent?.name ?? status;
  };

  expect([await assigned(writer.token), await assigned(reviewer.token)]).toEqual([
    ...['writer', 'reviewer'],
  ]);
  const body = { default_agent_id: reviewer.agent };
  await askAs(ada, { method: 'PATCH', path: writer.path, body });
  await askAs(ada, { method: 'PATCH', path: reviewer.path, body: { default_agent_id: null } });
  expect([await assigned(writer.token), await assigned(reviewer.token)]).toEqual([
    ...['reviewer', 200],
  ]);
  expect((await askAs(ada, { method: 'DELETE', path: reviewer.path })).status).toBe(204);
  expect([await assigned(writer.token), await assigned(reviewer.token)]).toEqual([
    ...['reviewer', 401],
  ]);
});

test('a hybrid client’s delegated connection loses a bound team at once when its person leaves it, and the machine connection keeps it (SC4)', async () => {
  const { id: organization_id, owner, team } = await teams.organization();
  const mia = await teams.join(organization_id, 'mia');
  const seats = seatsOf(organization_id, team.id);
  await seats.add(owner, mia);
  expect((await create(owner, seats.path, 'prompts')).status).toBe(201);
  const client = await support.client({
    ...{ owner: { organization_id }, scopes: ['mcp_prompts'], team_ids: [team.id] },
    grant_types: ['authorization_code', 'client_credentials'],
  });
  const delegated = await support.token(await support.authorize(client, mia));
  const machine = await support.token(await support.machine(client));
  const prompts = async (token: string) => {
    const { status, body } = await request(token, 'prompts/list');
    const { prompts: listed } = (body.result ?? {}) as { prompts?: { name: string }[] };
    return listed?.map(({ name }) => name) ?? status;
  };
  const name = `${team.name}/guide`;
  expect([await prompts(delegated), await prompts(machine)]).toEqual([[name], [name]]);

  expect((await seats.remove(owner, mia)).status).toBe(204);
  // The registered binding is the boundary of the machine connection alone.
  expect([await prompts(delegated), await prompts(machine)]).toEqual([[], [name]]);
  await seats.add(owner, mia);
  expect(await prompts(delegated)).toEqual([name]);
});

test('a refresh gets invalid_grant when its person left the organization, and invalid_client when the client was deleted with it', async () => {
  const { id: organization_id, owner } = await teams.organization();
  const mia = await teams.join(organization_id, 'mia');
  const client = await insertClient(teams.world, {
    ...{ owner: { organization_id }, type: 'confidential', scopes: ['mcp_tools'] },
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
  const connect = async (person: typeof owner) =>
    (await peer.exchange(client, await peer.authorize(client, person))).body['refresh_token']!;
  const [ofOwner, ofMia] = [await connect(owner), await connect(mia)];
  const path = `/api/organizations/${organization_id}`;

  await askAs(owner, { method: 'DELETE', path: `${path}/members/${mia.account_id}` });
  expect(await peer.refresh(client, ofMia)).toMatchObject({
    ...{ status: 400, body: { error: 'invalid_grant' } },
  });
  const body = { confirm: 'Acme', current_password: goodPassword };
  const deleted = await askAs(owner, { method: 'DELETE', path, body });
  expect(deleted.status).toBe(204);
  const INVALID_CLIENT = { status: 401, body: { error: 'invalid_client' } };
  const refused = async () => {
    expect(await peer.refresh(client, ofOwner)).toMatchObject(INVALID_CLIENT);
    expect(await peer.token(client, { grant_type: 'client_credentials' })).toMatchObject(
      INVALID_CLIENT,
    );
  };
  await refused();
  await expect
    .poll(() => teams.world.query('SELECT id FROM organization WHERE id = $1', [organization_id]))
    .toEqual([]);
  await refused();
});
