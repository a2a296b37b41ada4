import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs, createRole, MEMBER } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeamRole } from '../../support/people/teams.ts';
import { create as createItem } from '../organizations/content-items.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const oauth = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));

const { create, edit, faults } = scopedKeys(() => teams.otherGateway);
const unavailable = [422, 'agent_unavailable /default_agent_id'];

/** Creates a member with an agent of their own, whose roles have the capability Agents. */
async function createMember() {
  const { id, owner, path: red, team, add, setRoles } = await teams.organization();
  const role = await createRole(owner, id, { name: 'Agents', capabilities: ['agents'] });
  const may = await teams.join(id, 'may', [role.id]);
  const { body: agent } = await createItem(may, `/api/organizations/${id}/me`, 'agents');
  const setOrganizationRoles = async (role_ids: string[]) => {
    const path = `/api/organizations/${id}/members/${may.account_id}`;
    expect((await askAs(owner, { method: 'PATCH', path, body: { role_ids } })).status).toBe(200);
  };
  return { ...{ id, owner, red, team, add, setRoles, role, may, agent, setOrganizationRoles } };
}

const demote = ({ setOrganizationRoles }: Awaited<ReturnType<typeof createMember>>) =>
  setOrganizationRoles([MEMBER]);
const agents = { mcp_capabilities: ['agents'] };

test('a key is not given a default agent that its person’s live roles do not reach (K2, C3)', async () => {
  const member = await createMember();
  const { id, may, agent, role, setOrganizationRoles } = member;
  const { body: key } = await create(may, { org_scope: id, ...agents });
  const assign = () => edit(may, key.id, { default_agent_id: agent.id });

  await demote(member);
  expect(faults(await assign())).toEqual(unavailable);
  expect(faults(await edit(may, key.id, { ...agents, default_agent_id: agent.id }))).toEqual(
    unavailable,
  );
  const stored = await askAs<{ default_agent: unknown }>(may, { path: `/api/keys/${key.id}` });
  expect(stored.body.default_agent).toBeNull();
  await setOrganizationRoles([role.id]);
  expect((await assign()).body['default_agent']).toEqual({ id: agent.id, name: 'me/guide' });
  // What was assigned before may stay, and is hidden (K3).
  await demote(member);
  const kept = await assign();
  expect([kept.status, kept.body['default_agent']]).toEqual([200, { available: false }]);
});

test('a role of a team reaches an agent only for a key that is active on the team (C3)', async () => {
  const member = await createMember();
  const { id, owner, red, team, add, may, agent } = member;
  const roles = `/api/organizations/${id}/team-roles`;
  const inTeam = await createTeamRole(owner, roles, { name: 'T', capabilities: ['agents'] });
  await add(owner, may, [inTeam.id]);
  const { body: shared } = await createItem(owner, red, 'agents');
  const keyIn = async (team_ids: string[] | null) =>
    (await create(may, { org_scope: id, ...agents, team_ids })).body.id;
  const [bound, unbound, following] = [await keyIn([team.id]), await keyIn([]), await keyIn(null)];
  await demote(member);

  for (const key of [bound, following])
    for (const one of [agent, shared])
      expect((await edit(may, key, { default_agent_id: one.id })).status).toBe(200);
  expect(faults(await edit(may, unbound, { default_agent_id: agent.id }))).toEqual(unavailable);
});

test('a draft with a default agent names the capability that its person lacks', async () => {
  const member = await createMember();
  const { id, may, agent } = member;
  await demote(member);

  const refused = await create(may, { org_scope: id, ...agents, default_agent_id: agent.id });
  expect(faults(refused)).toEqual([
    422,
    'capability_escalation /mcp_capabilities/0',
    'agent_unavailable /default_agent_id',
  ]);
});

test('a connection of a person is not given an agent that the person’s live roles do not reach', async () => {
  const member = await createMember();
  const { id, may, agent } = member;
  const client = await oauth.client({ owner: { organization_id: id }, scopes: ['mcp_agents'] });
  const path = `/api/me/connections/${await oauth.authorize(client, may)}`;
  const assign = () => askAs(may, { method: 'PATCH', path, body: { default_agent_id: agent.id } });

  expect((await assign()).status).toBe(200);
  const other = `/api/me/connections/${await oauth.authorize(client, may)}`;
  await demote(member);
  const refused = await askAs(may, {
    ...{ method: 'PATCH', path: other, body: { default_agent_id: agent.id } },
  });
  expect(faults(refused)).toEqual(unavailable);
});

test('a key or machine of the organization is given only an agent that it reaches itself', async () => {
  const { id, owner, may, red, team, agent } = await createMember();
  const { body: shared } = await createItem(owner, red, 'agents');
  const keys = `/api/organizations/${id}/keys`;
  const keyWith = async (fields: object) => (await create(owner, { ...fields }, keys)).body.id;
  const client = async (scopes: string[], team_ids: string[]) =>
    oauth.machine(
      await oauth.client({
        ...{ owner: { organization_id: id }, scopes, team_ids },
        grant_types: ['client_credentials'],
      }),
    );
  const connections = `/api/organizations/${id}/connections`;
  const assign = (who: SignedUp, path: string, default_agent_id: string) =>
    askAs(who, { method: 'PATCH', path, body: { default_agent_id } });
  const reaching = [
    `${keys}/${await keyWith({ ...agents, team_ids: [team.id] })}`,
    `${connections}/${await client(['mcp_agents'], [team.id])}`,
  ];
  const others = [
    `${keys}/${await keyWith({ team_ids: [team.id] })}`,
    `${keys}/${await keyWith({ ...agents, team_ids: [] })}`,
    `${connections}/${await client(['mcp_tools'], [team.id])}`,
    `${connections}/${await client(['mcp_agents'], [])}`,
  ];

  for (const path of reaching) {
    expect((await assign(owner, path, shared.id)).status).toBe(200);
    expect(faults(await assign(owner, path, agent.id))).toEqual(unavailable);
  }
  for (const path of others)
    expect(faults(await assign(owner, path, shared.id))).toEqual(unavailable);
  expect((await assign(may, reaching[0]!, shared.id)).status).toBe(403);
});
