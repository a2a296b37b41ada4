import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AgentStart } from '../../../src/content/agents/schema.ts';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam } from '../../support/people/teams.ts';
import { ask } from '../mcp/key-holder.ts';
import { create } from '../organizations/content-items.ts';

const teams = await useTeams();
const ada = await signUp(teams.world, teams.gateway, 'ada');

const when = (name: string, condition: object | null) => ({ name, content: name, when: condition });
const components = [
  when('always', null),
  when('with_resources', { capability: 'resources' }),
  when('with_tools', { capability: 'tools' }),
];
const addAgent = async (who: SignedUp, path: string) => {
  const { status, body } = await create(who, path, 'agents', {
    name: `agent_${randomUUID().slice(0, 8)}`,
    components,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return { id: body.id, path: `${path}/agents/${body.id}/bootstrap` };
};
const startWith = (who: SignedUp, path: string, key_id: string) =>
  askAs<AgentStart>(who, { path, body: { key_id } });

/** Returns what `bootstrap` returns over MCP for a name. */
async function bootstrapped(secret: string, agent_name: string) {
  const input = { primary_agent: true, agent_name };
  const { body } = await ask(`${teams.gateway.url}/mcp`, { 'x-api-key': secret }, 'tools/call', {
    ...{ name: 'bootstrap', arguments: input },
  });
  return body.result.structuredContent as unknown as {
    context: string;
    agent: { name: string; components: string[] };
  };
}

test('a person sees what an agent with their key gets from bootstrap', async () => {
  const { path } = await addAgent(ada, '/api/me');
  const key = await createKey(ada, { mcp_capabilities: ['agents', 'resources'] });

  const { status, body } = await startWith(ada, path, key.id);
  const { context, agent } = await bootstrapped(key.secret, String(body.name));

  expect([status, body.status]).toEqual([200, 'available']);
  expect(body.components).toEqual(['always', 'with_resources']);
  expect([body.name, body.components, body.context]).toEqual([
    ...[agent.name, agent.components, context],
  ]);
});

test('a preview of `bootstrap` says whether the key reaches the definition', async () => {
  const { path } = await addAgent(ada, '/api/me');
  const other = await addAgent(ada, '/api/me');
  const withoutAgents = await createKey(ada, { mcp_capabilities: ['resources'] });
  const excluded = await createKey(ada, {
    mcp_capabilities: ['agents'],
    agent_policy: { mode: 'whitelist', agents: [other.id] },
  });

  for (const { id } of [withoutAgents, excluded])
    expect((await startWith(ada, path, id)).body).toEqual({
      ...{ status: 'unavailable', name: null, components: [], context: null },
    });
});

test('a key of others, or one that does not exist, is unknown', async () => {
  const { path } = await addAgent(ada, '/api/me');
  const bob = await signUp(teams.world, teams.gateway, 'bob');
  const foreign = await createKey(bob, { mcp_capabilities: ['agents'] });
  const absent = await startWith(ada, path, randomUUID());

  expect(outcomeOf(absent)).toEqual([422, 'unknown_key']);
  const refused = await startWith(ada, path, foreign.id);
  expect([refused.status, refused.body]).toEqual([absent.status, absent.body]);
});

test('who may view the keys of an organization sees what an agent with one gets', async () => {
  const { owner, id } = await teams.organization();
  const organization = `/api/organizations/${id}`;
  const { id: team_id } = await createTeam(owner, id, 'core');
  const { path } = await addAgent(owner, `${organization}/teams/${team_id}`);
  const key = await askAs<{ id: string; secret: string }>(owner, {
    path: `${organization}/keys`,
    body: { name: 'starter', mcp_capabilities: ['agents', 'tools'], team_ids: [team_id] },
  });

  const { body } = await startWith(owner, path, key.body.id);
  const { agent } = await bootstrapped(key.body.secret, String(body.name));

  expect([body.name, body.components]).toEqual([agent.name, ['always', 'with_tools']]);
  expect(outcomeOf(await startWith(ada, path, key.body.id))[0]).toBe(404);
});

test('a definition of another space is not found', async () => {
  const { path } = await addAgent(ada, '/api/me');
  const { owner, id } = await teams.organization();
  const key = await createKey(owner, { mcp_capabilities: ['agents'] });
  const inMember = path.replace('/api/me', `/api/organizations/${id}/me`);

  expect(outcomeOf(await startWith(owner, inMember, key.id))[0]).toBe(404);
  expect(outcomeOf(await startWith(owner, path, key.id))[0]).toBe(404);
});

test('only a session previews bootstrap, in every kind of space', async () => {
  const { owner, id, team } = await teams.organization();
  const path = `/api/organizations/${id}`;
  const grants = [
    { scope: { type: 'personal' }, permissions: ['can_view_agents'] },
    {
      scope: { type: 'org', org_id: id },
      permissions: ['can_view_organization_agents', 'can_view_team_agents'],
    },
  ];
  const key = await createKey(owner, { mcp_capabilities: ['agents'], grants });
  const support = await createConnectionsSupport(teams.world, teams.gateway);
  const scopes = ['mcp_agents', 'read:agents'];
  const token = await support.token(
    await support.authorize(await support.client({ owner, scopes }), owner),
  );
  await support.close();

  for (const space of ['/api/me', path, `${path}/me`, `${path}/teams/${team.id}`]) {
    const { path: start } = await addAgent(owner, space);
    for (const headers of [{ 'x-api-key': key.secret }, { authorization: `Bearer ${token}` }]) {
      const refused = await fetch(teams.gateway.url + start, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ key_id: key.id }),
      });
      expect([refused.status, await refused.json()]).toMatchObject([
        ...[403, { errors: [{ code: 'interactive_only' }] }],
      ]);
    }
    expect(outcomeOf(await startWith(owner, start, key.id))[0]).toBe(200);
  }
});

test('a member without the permission for a team’s agents gets a 403', async () => {
  const { owner, id, path: team, add } = await teams.organization();
  const { path } = await addAgent(owner, team);
  const mia = await teams.join(id, 'mia');
  const { id: key_id } = await createKey(mia, { org_scope: id, mcp_capabilities: [] });
  expect(outcomeOf(await startWith(mia, path, key_id))).toEqual([404, 'not_found']);
  await add(owner, mia);

  expect(outcomeOf(await startWith(mia, path, key_id))).toEqual([403, 'permission_denied']);
});

test('bootstrap previews declare the time that policies may take, and their rate limit', async () => {
  const declared = (await declaredRoutes()).filter(({ path }) => path.endsWith('/bootstrap'));

  expect(declared).toHaveLength(4);
  for (const { within_ms, errors } of declared)
    expect([within_ms, errors]).toEqual([
      40_000,
      expect.objectContaining({ 429: ['rate_limited'] }),
    ]);
});
