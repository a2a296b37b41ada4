import { expect, test } from 'vitest';
import type { ItemUses } from '../../../src/content/items/schema.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { create } from '../organizations/content-items.ts';
import { toolId } from '../mcp/key-holder.ts';
import type { FamilyPath, Item } from '../organizations/content-items.ts';

const teams = await useTeams();

const unused: ItemUses = {
  ...{ keys: [], teams: [], agents: [] },
  counts: { keys: 0, teams: 0, agents: 0 },
};
const usesOf = (who: SignedUp, path: string) => askAs<ItemUses>(who, { path: `${path}/uses` });
/** Returns the names of what uses an item, and the counts. */
const namesOf = async (who: SignedUp, path: string) => {
  const { keys, teams: using, agents, counts } = (await usesOf(who, path)).body;
  const lists = [keys, using, agents].map((list) => list.map(({ name }) => name).toSorted());
  expect([counts.keys, counts.teams, counts.agents]).toEqual(lists.map(({ length }) => length));
  return lists;
};
const added = async (
  who: SignedUp,
  path: string,
  family: FamilyPath,
  fields = {},
): Promise<Item> => {
  const { status, body } = await create(who, path, family, fields);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
const when = (condition: object) => ({
  components: [{ name: 'part', content: 'Do it.', when: condition }],
});
const withKey = (who: SignedUp, { secret }: { secret: string }) => ({
  ...who,
  bearer: { 'x-api-key': secret } as never,
});

test('the policies of your keys and the conditions of your agents use an item of yours', async () => {
  const ada = await signUp(teams.world, teams.gateway, 'ada');
  const [prompt, resource] = [
    await added(ada, '/api/me', 'prompts'),
    await added(ada, '/api/me', 'resources'),
  ];
  const other = await added(ada, '/api/me', 'prompts', { name: 'other' });
  const agent = await added(ada, '/api/me', 'agents', {
    ...{ name: 'reviewer' },
    ...when({ prompt: prompt.id }),
  });
  await added(ada, '/api/me', 'agents', { name: 'reader', ...when({ resource: 'guide.md' }) });
  const listed = { prompt_policy: { mode: 'blacklist', prompts: [prompt.id] } };
  const key = await createKey(ada, { name: 'laptop', ...listed });
  await createKey(ada, { name: 'free' });

  expect((await usesOf(ada, `/api/me/prompts/${prompt.id}`)).body).toEqual({
    keys: [{ id: key.id, name: 'laptop', organization_id: null, as: ['policy'] }],
    teams: [],
    agents: [{ id: agent.id, name: 'reviewer' }],
    counts: { keys: 1, teams: 0, agents: 1 },
  });
  expect(await namesOf(ada, `/api/me/resources/${resource.id}`)).toEqual([[], [], ['reader']]);
  expect((await usesOf(ada, `/api/me/prompts/${other.id}`)).body).toEqual(unused);
  await askAs(ada, { method: 'DELETE', path: `/api/keys/${key.id}` });
  expect(await namesOf(ada, `/api/me/prompts/${prompt.id}`)).toEqual([[], [], ['reviewer']]);
});

test('a default agent is a use while the key can use it; an unavailable one is not identified (K3)', async () => {
  const ada = await signUp(teams.world, teams.gateway, 'ada');
  const agent = await added(ada, '/api/me', 'agents');
  const capabilities = { mcp_capabilities: ['agents'], default_agent_id: agent.id };
  const key = await createKey(ada, { name: 'laptop', ...capabilities });
  const path = `/api/me/agents/${agent.id}`;

  expect((await usesOf(ada, path)).body.keys).toEqual([
    { id: key.id, name: 'laptop', organization_id: null, as: ['default_agent'] },
  ]);
  const edit = { method: 'PATCH', path: `/api/keys/${key.id}` } as const;
  await askAs(ada, { ...edit, body: { mcp_capabilities: [] } });
  expect((await usesOf(ada, path)).body).toEqual(unused);
});

test('an API key sees no keys, and agents only with the permission to view them', async () => {
  const ada = await signUp(teams.world, teams.gateway, 'ada');
  const prompt = await added(ada, '/api/me', 'prompts');
  await added(ada, '/api/me', 'agents', { name: 'reviewer', ...when({ prompt: prompt.id }) });
  await createKey(ada, { prompt_policy: { mode: 'whitelist', prompts: [prompt.id] } });
  const seenWith = async (...permissions: string[]) => {
    const key = await createKey(ada, { grants: [{ scope: { type: 'personal' }, permissions }] });
    return namesOf(withKey(ada, key), `/api/me/prompts/${prompt.id}`);
  };

  expect(await seenWith('can_view_prompts')).toEqual([[], [], []]);
  expect(await seenWith('can_view_prompts', 'can_view_agents')).toEqual([[], [], ['reviewer']]);
});

test('a team whose policy lists a catalog item is shown only to those who may view that policy', async () => {
  const { id, owner, path: red, add } = await teams.organization();
  const catalog = `/api/organizations/${id}`;
  const blue = seatsOf(id, (await createTeam(owner, id, 'blue')).id);
  const tool = await added(owner, catalog, 'custom-tools');
  for (const team of [red, blue.path])
    await askAs(owner, {
      ...{ method: 'PUT', path: `${team}/policies/tool` },
      body: { mode: 'whitelist', tools: [toolId('hash')], custom_tools: [tool.id] },
    });
  const viewer = await createRole(owner, id, {
    ...{ name: 'Viewer', permissions: ['can_view_organization_tools'] },
  });
  const bob = await teams.join(id, 'bob', [viewer.id]);
  const item = `${catalog}/custom-tools/${tool.id}`;

  expect(await namesOf(owner, item)).toEqual([[], ['blue', 'red'], []]);
  expect(await namesOf(bob, item)).toEqual([[], [], []]);
  await add(owner, bob);
  expect(await namesOf(bob, item)).toEqual([[], [], []]);
  const role = await createTeamRole(owner, `${catalog}/team-roles`, {
    ...{ name: 'Policies', permissions: ['can_view_team_tool_policies'] },
  });
  await blue.add(owner, bob, [role.id]);
  expect(await namesOf(bob, item)).toEqual([[], ['blue'], []]);
});

test('keys of the organization need the permission to view them, and keys of other members are never shown or counted', async () => {
  const { id, owner, add } = await teams.organization();
  const catalog = `/api/organizations/${id}`;
  const agent = await added(owner, catalog, 'agents');
  const [tools, keysToo] = [
    ['can_view_organization_agents'],
    ['can_view_organization_agents', 'can_view_organization_api_keys'],
  ].map((permissions, index) =>
    createRole(owner, id, { name: `Viewer ${index}`, permissions, capabilities: ['agents'] }),
  );
  const bob = await teams.join(id, 'bob', [(await tools!).id]);
  const mia = await teams.join(id, 'mia', [(await keysToo!).id]);
  for (const member of [bob, mia]) await add(owner, member);
  const assigned = { mcp_capabilities: ['agents'], default_agent_id: agent.id };
  const created = await askAs(owner, {
    path: `${catalog}/keys`,
    body: { name: 'of Acme', ...assigned },
  });
  expect(created.status).toBe(201);
  await createKey(bob, { name: 'of bob', org_scope: id, ...assigned });
  const item = `${catalog}/agents/${agent.id}`;

  expect(await namesOf(owner, item)).toEqual([['of Acme'], [], []]);
  expect(await namesOf(mia, item)).toEqual([['of Acme'], [], []]);
  expect(await namesOf(bob, item)).toEqual([['of bob'], [], []]);
});

test('an agent definition of a team shows only agents of that team, to those who may view them', async () => {
  const { id, owner, path: red, add } = await teams.organization();
  const prompt = await added(owner, red, 'prompts');
  await added(owner, red, 'agents', { name: 'reviewer', ...when({ prompt: prompt.id }) });
  const role = await createTeamRole(owner, `${red}/roles`, {
    ...{ name: 'Prompts', permissions: ['can_view_team_prompts'] },
  });
  const bob = await teams.join(id, 'bob');
  const item = `${red}/prompts/${prompt.id}`;

  expect(await namesOf(owner, item)).toEqual([[], [], ['reviewer']]);
  expect(outcomeOf(await usesOf(bob, item))).toEqual([404, 'not_found']);
  await add(owner, bob, [role.id]);
  expect(await namesOf(bob, item)).toEqual([[], [], []]);
});

test('the uses of an item in a member’s own space are shown to that member alone', async () => {
  const { id, owner, add } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  await add(owner, bob);
  const own = `/api/organizations/${id}/me`;
  const prompt = await added(bob, own, 'prompts');
  await added(bob, own, 'agents', { name: 'reviewer', ...when({ prompt: prompt.id }) });
  const item = `${own}/prompts/${prompt.id}`;

  expect(await namesOf(bob, item)).toEqual([[], [], ['reviewer']]);
  expect(outcomeOf(await usesOf(owner, item))).toEqual([404, 'not_found']);
  for (const space of ['/api/me', `/api/organizations/${id}`])
    expect(outcomeOf(await usesOf(owner, `${space}/prompts/${prompt.id}`))).toEqual([
      404,
      'not_found',
    ]);
});
