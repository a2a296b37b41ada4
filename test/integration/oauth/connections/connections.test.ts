import { expect, test } from 'vitest';
import type { ConnectionRecord } from '../../../../src/oauth/connections/schema.ts';
import type { Explanation, Preview } from '../../../../src/visibility/schema.ts';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import {
  askAs,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
} from '../../../support/people/organizations.ts';
import { selectTools } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { create } from '../../organizations/content-items.ts';

const teams = await useTeams();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));

const own = '/api/me/connections';
type Listed = { data: ConnectionRecord[] };
const listed = async (who: SignedUp, path = own) =>
  (await askAs<Listed>(who, { path })).body.data.map(({ id }) => id);
const change = (who: SignedUp, path: string, default_agent_id: string | null) =>
  askAs<ConnectionRecord>(who, { method: 'PATCH', path, body: { default_agent_id } });
const revoke = (who: SignedUp, path: string) => askAs(who, { method: 'DELETE', path });

test('a person sees, assigns an agent to, and revokes what they authorized, wherever it works', async () => {
  const { id: organization_id, owner, team } = await teams.organization();
  const agent = await create(owner, '/api/me', 'agents');
  const personal = await support.client({ owner, scopes: ['mcp_agents', 'read:prompts'] });
  const shared = await support.client({
    ...{ owner: { organization_id }, scopes: ['mcp_tools'], team_ids: [team.id] },
  });
  const first = await support.authorize(personal, owner);
  const second = await support.authorize(shared, owner);
  const other = await teams.organization();

  const { body } = await askAs<Listed>(owner, { path: own });
  expect(body.data).toMatchObject([
    {
      ...{ id: second, kind: 'delegated', organization: { id: organization_id, name: 'Acme' } },
      ...{ teams: [{ id: team.id, name: 'red' }], scopes: ['mcp_tools'] },
      mcp_capabilities: ['tools'],
    },
    {
      ...{ id: first, organization: null, teams: [], default_agent: null },
      account: { id: owner.account_id, email: owner.email },
      client: { id: personal.id, name: 'Client' },
    },
  ]);
  const assigned = await change(owner, `${own}/${first}`, agent.body.id);
  expect(assigned.body.default_agent).toMatchObject({ id: agent.body.id });
  expect(outcomeOf(await change(owner, `${own}/${second}`, agent.body.id))).toEqual([
    ...[422, 'agent_unavailable'],
  ]);
  expect(outcomeOf(await revoke(other.owner, `${own}/${first}`))).toEqual([404, 'not_found']);
  expect(outcomeOf(await change(other.owner, `${own}/${first}`, null))).toEqual([
    ...[404, 'not_found'],
  ]);
  expect((await revoke(owner, `${own}/${first}`)).status).toBe(204);
  expect(outcomeOf(await revoke(owner, `${own}/${first}`))).toEqual([404, 'not_found']);
  expect(await listed(owner)).toEqual([second]);
  const exported = await askAs<{ connections: { id: string; revoked_at: string | null }[] }>(
    owner,
    {
      path: '/api/user/export',
    },
  );
  expect(exported.body.connections.map(({ id, revoked_at }) => [id, revoked_at !== null])).toEqual([
    ...[[second, false]],
    ...[[first, true]],
  ]);
});

test('an organization sees its connections; members with the permission revoke them, and change those of machines', async () => {
  const { id: organization_id, owner } = await teams.organization();
  const mia = await teams.join(organization_id, 'mia', [MEMBER]);
  const path = `/api/organizations/${organization_id}/connections`;
  const client = await support.client({
    ...{ owner: { organization_id }, scopes: ['mcp_agents', 'mcp_tools'] },
    grant_types: ['authorization_code', 'client_credentials'],
  });
  const machine = await support.machine(client);
  const delegated = await support.authorize(client, mia);
  const personal = await support.client({ owner: mia, scopes: ['mcp_tools'] });
  await support.authorize(personal, mia);
  const agent = await create(owner, `/api/organizations/${organization_id}`, 'agents');

  expect(await listed(owner, path)).toEqual([delegated, machine]);
  expect(outcomeOf(await askAs(mia, { path }))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await change(owner, `${path}/${delegated}`, null))).toEqual([404, 'not_found']);
  const assigned = await change(owner, `${path}/${machine}`, agent.body.id);
  expect(assigned.body.default_agent).toMatchObject({ id: agent.body.id });
  const record = `/api/organizations/${organization_id}/oauth-clients/${client.id}`;
  expect((await askAs(owner, { path: record })).body).toMatchObject({
    default_agent: { id: agent.body.id },
  });
  const role = await createRole(owner, organization_id, {
    ...{ name: 'Revoker', permissions: ['can_delete_organization_oauth_clients'] },
  });
  const rex = await teams.join(organization_id, 'rex', [role.id]);
  expect((await revoke(rex, `${path}/${delegated}`)).status).toBe(204);
  expect((await revoke(rex, `${path}/${machine}`)).status).toBe(204);
  expect(await listed(owner, path)).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});

/** Returns the pages on which the items that are hidden for a reason can be shown. */
const pagesOf = ({ hidden }: Preview, reason: string) => [
  ...new Set(hidden.filter(({ because }) => because[0] === reason).map((one) => one.fix_url)),
];

test('explain and preview show what a connection sees, by the rules for keys', async () => {
  const { id: organization_id, owner } = await teams.organization();
  await selectTools(owner, ['calculator']);
  const client = await support.client({ owner, scopes: ['mcp_tools', 'mcp_prompts'] });
  const id = await support.authorize(client, owner, { scopes: ['mcp_tools'] });
  const explain = async () =>
    (await askAs<Explanation>(owner, { path: `${own}/${id}/explain?tool=calculator` })).body;

  expect((await explain()).outcome).toBe('allow');
  const preview = await askAs<Preview>(owner, { path: `${own}/${id}/preview` });
  expect(preview.body.visible.tools.map(({ name }) => name)).toContain('calculator');
  expect(preview.body.visible.prompts).toEqual([]);
  expect(pagesOf(preview.body, 'capability_missing'), 'authorized by the person').toEqual([null]);
  await teams.world.query('UPDATE oauth_client SET allowed_scopes = $2 WHERE id = $1', [
    ...[client.id, ['mcp_prompts']],
  ]);
  const { outcome, steps } = await explain();
  expect(outcome).toBe('deny');
  expect(steps).toContainEqual(
    expect.objectContaining({ evidence: { missing_scope: 'mcp_tools' } }),
  );

  const shared = await support.client({
    ...{ owner: { organization_id }, scopes: ['mcp_tools'] },
    grant_types: ['authorization_code', 'client_credentials'],
  });
  const machine = await support.machine(shared);
  const delegated = await support.authorize(shared, owner);
  const path = `/api/organizations/${organization_id}/connections`;
  const ofMachine = await askAs<Preview>(owner, { path: `${path}/${machine}/preview` });
  expect(pagesOf(ofMachine.body, 'capability_missing')).toEqual([
    `${teams.gateway.config.DASHBOARD_URL}/app/org/${organization_id}/clients/${shared.id}`,
  ]);
  const explained = await askAs(owner, { path: `${path}/${machine}/explain?tool=calculator` });
  expect(explained.status).toBe(200);
  // A person's connection shows the person's own items, so only they may look into it.
  expect((await askAs(owner, { path: `${path}/${delegated}/preview` })).status).toBe(404);
});

test('what the audit log of a person has of an ended client is their connection alone', async () => {
  const [ada, ben] = [(await teams.organization()).owner, (await teams.organization()).owner];
  const client = await support.client({ owner: ada, scopes: ['mcp_tools'] });
  const connections = new Map([
    [ada, await support.authorize(client, ada)],
    [ben, await support.authorize(client, ben)],
  ]);
  await support.connections.revokeOfClient(client.id);

  for (const [person, id] of connections) {
    const path = '/api/me/audit?action=connection.revoke';
    const { body } = await askAs<{ data: Record<string, unknown>[] }>(person, { path });
    expect(body.data).toMatchObject([
      {
        target: [{ type: 'connection', id }],
        detail: { before: { account_id: person.account_id, client_id: client.id } },
      },
    ]);
  }
});

test('a connection that gets no token within ten minutes ends, and one whose client is gone', async () => {
  const { owner } = await teams.organization();
  const mia = await teams.organization();
  const client = await support.client({ owner, scopes: ['mcp_tools'] });
  const kept = await support.authorize(client, mia.owner);
  const unused = await support.connections.createDelegated(
    {
      ...{ client, account_id: mia.owner.account_id, scopes: ['mcp_tools'], team_ids: null },
      ...{ default_agent_id: null, session_id: null },
    },
    {
      actor: { kind: 'system', id: null, credential_id: null, request_id: null, address: null },
      basis: null,
    },
  );
  await teams.world.query(
    `UPDATE oauth_connection SET created_at = now() - interval '10 minutes' WHERE id = ANY($1)`,
    [[unused, kept]],
  );
  const live = async () =>
    (
      await teams.world.query<{ id: string }>(
        'SELECT id FROM oauth_connection WHERE id = ANY($1) AND revoked_at IS NULL',
        [[unused, kept]],
      )
    ).map(({ id }) => id);

  await support.connections.revokeUnusable();
  expect(await live()).toEqual([kept]);
  // Deleting the account that registered the client ends the connections of other people to it.
  await teams.world.query('DELETE FROM oauth_client WHERE id = $1', [client.id]);
  await support.connections.revokeUnusable();
  expect(await live()).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});
