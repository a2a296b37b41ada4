import { afterAll, expect, test } from 'vitest';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import { createKey } from '../../support/people/people.ts';
import {
  askAs,
  createOrganization,
  driftOf,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeamRole } from '../../support/people/teams.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { toolId } from '../mcp/key-holder.ts';
import { create, patch } from './content-items.ts';
import { CAPABILITIES, createAgent, createUnionWorld, namesIn, union } from './union.ts';
import type { Seen } from './union.ts';

const PLANS_FILE = new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname;

const teams = await useTeams({ PLANS_FILE });
const uncached = await teams.world.gateway({ env: { AUTHZ_CACHE: 'off' } });
const gateways: readonly Gateway[] = [teams.gateway, teams.otherGateway, uncached];
const acme = await createUnionWorld(teams);
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

/** Expects these lists on every gateway, with and without the cache. */
async function expectSeen(secret: string, expected: Seen): Promise<void> {
  for (const gateway of gateways)
    expect(await createAgent(gateway, secret).seen(), gateway.url).toEqual(expected);
}

const everything = union(
  ...['', 'me', 'red', 'blue'].map((prefix) => namesIn(prefix)),
  namesIn('', 'wide'),
);

/** Expects that, of all items that exist, exactly the listed ones can be read. */
async function expectReadable(secret: string): Promise<void> {
  const agent = createAgent(gateways[1]!, secret);
  const seen = await agent.seen();
  for (const family of Object.keys(everything) as (keyof Seen)[])
    for (const name of everything[family])
      expect([name, await agent.reads(family, name)]).toEqual([name, seen[family].includes(name)]);
}

test('a member’s key sees the catalog items that its teams admit, the member’s own items and those of the teams (P9)', async () => {
  const expected = union(namesIn(''), namesIn('', 'wide'), namesIn('me'), namesIn('red'));

  await expectSeen(acme.key.secret, expected);
  await expectReadable(acme.key.secret);
});

test('a team’s policy filters the catalog, but never the team’s own items (P9)', async () => {
  const { items, policy } = acme;
  const without = { mode: 'blacklist' };
  const restricted = [
    [
      'tool',
      { ...without, tools: [toolId('hash')], custom_tools: [items['custom-tools']['catalog']] },
    ],
    ['prompt', { ...without, prompts: [items.prompts['catalog']] }],
    ['agent', { ...without, agents: [items.agents['catalog']] }],
    ['resource', { ...without, patterns: ['guide.md'] }],
  ] as const;
  for (const [family, body] of restricted) expect((await policy(family, body)).status).toBe(200);

  await expectSeen(acme.key.secret, union(namesIn('', 'wide'), namesIn('me'), namesIn('red')));
  await expectReadable(acme.key.secret);
  const agent = createAgent(teams.gateway, acme.key.secret);
  expect(await agent.run('guide')).toBe('tool_not_permitted');
  expect(await agent.run('blue__guide')).toBe(-32601);

  for (const [family] of restricted) await policy(family, { mode: 'all' });
  await expectSeen(
    acme.key.secret,
    union(namesIn(''), namesIn('', 'wide'), namesIn('me'), namesIn('red')),
  );
});

test('a built-in tool can be called if it is selected and either organization-wide or admitted by a team (S8)', async () => {
  const { owner, organization, key, policy } = acme;
  const agents = gateways.map((gateway) => createAgent(gateway, key.secret));
  const put = (body: object) =>
    askAs(owner, {
      ...{ method: 'PUT', path: `${organization}/mcp-settings` },
      body: {
        organization_wide_tools: [],
        ...{ platform_prompts: [], organization_wide_prompts: [] },
        ...body,
      },
    });
  const outcomes = async () => {
    const all = [];
    for (const agent of agents) {
      const { tools } = await agent.seen();
      const result = await agent.run('calculator', { expression: '6*7' });
      all.push([tools.includes('calculator'), typeof result === 'string' ? result : 'ok']);
    }
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    return all[0];
  };
  const [id, other] = [toolId('calculator'), toolId('hash')];

  expect(await outcomes()).toEqual([false, 'tool_not_permitted']);
  await put({ tools: [id] });
  expect(await outcomes()).toEqual([true, 'ok']);
  await policy('tool', { mode: 'whitelist', tools: [other] });
  expect(await outcomes()).toEqual([false, 'tool_not_permitted']);
  await put({ tools: [id], organization_wide_tools: [id] });
  expect(await outcomes()).toEqual([true, 'ok']);
  await put({ tools: [] });
  expect(await outcomes()).toEqual([false, 'tool_not_permitted']);
  await policy('tool', { mode: 'all' });
});

test('after a member leaves a team, its items and the catalog items it admitted are hidden from the next request on every gateway', async () => {
  await acme.leave();
  await expectSeen(acme.key.secret, union(namesIn('', 'wide'), namesIn('me')));
  await expectReadable(acme.key.secret);

  await acme.join();
  await expectSeen(
    acme.key.secret,
    union(namesIn(''), namesIn('', 'wide'), namesIn('me'), namesIn('red')),
  );
});

test('renaming a team renames its items; a change of the organization-wide flag takes effect immediately', async () => {
  const { owner, red, organization, items, key } = acme;
  await patch(owner, red, { name: 'crimson' });
  await patch(owner, `${organization}/prompts/${items.prompts['wide']}`, {
    organization_wide: false,
  });
  await acme.policy('prompt', { mode: 'blacklist', prompts: [items.prompts['wide']!] });

  const { prompts } = await createAgent(teams.otherGateway, key.secret).seen();
  expect(prompts).toEqual(['crimson/guide', 'guide', 'me/guide']);

  await patch(owner, red, { name: 'red' });
  await acme.policy('prompt', { mode: 'all' });
  await patch(owner, `${organization}/prompts/${items.prompts['wide']}`, {
    organization_wide: true,
  });
});

test('a personal key of the same person sees nothing of the organization', async () => {
  const { secret } = await createKey(acme.mia, { mcp_capabilities: CAPABILITIES });
  const { tools, prompts, resources, agents } = namesIn('');

  await expectSeen(secret, {
    ...{ tools, prompts, agents },
    resources: resources.map((uri) => uri.replace('org', 'me')),
  });
});

test('with equal names in two organizations, each key reads the content of its own organization', async () => {
  const other = await teams.organization('red');
  const path = `/api/organizations/${other.id}`;
  await create(other.owner, path, 'resources', { text: 'Theirs.', organization_wide: true });
  await create(other.owner, other.path, 'resources', { text: 'Theirs.' });
  const key = await createKey(other.owner, { org_scope: other.id, mcp_capabilities: CAPABILITIES });
  const [otherAgent, acmeAgent] = [key.secret, acme.key.secret].map((secret) =>
    createAgent(teams.gateway, secret),
  );
  const textOf = async (agent: typeof acmeAgent, uri: string) => {
    const { contents } = (await agent!.read(uri)).result as unknown as {
      contents: { text: string }[];
    };
    return contents[0]!.text;
  };

  for (const uri of ['toolgate://org/guide.md', 'toolgate://team/red/guide.md']) {
    expect(await textOf(otherAgent, uri)).toBe('Theirs.');
    expect(await textOf(acmeAgent, uri)).toBe('Hello.');
  }
  expect(await otherAgent!.seen()).toMatchObject({ prompts: [], agents: [], tools: [] });
  expect((await createOrganization(other.owner).catch(() => null))?.id).not.toBe(acme.id);
});

test('management tools can write to `me` and, with the permission, to teams; the catalog is read-only', async () => {
  const { owner, organization, items, mia, id, red } = acme;
  const ids = managementEntries.map(({ tool }) => tool.id);
  await askAs(owner, {
    ...{ method: 'PUT', path: `${organization}/mcp-settings` },
    body: {
      tools: ids,
      organization_wide_tools: ids,
      ...{ platform_prompts: [], organization_wide_prompts: [] },
    },
  });
  const grants = [{ scope: { type: 'org', org_id: id }, permissions: ['can_create_team_prompts'] }];
  const roles = `/api/organizations/${id}/team-roles`;
  const draft = { name: 'Writer', permissions: ['can_create_team_prompts'] };
  const writer = await createTeamRole(owner, roles, draft);
  const agent = createAgent(teams.otherGateway, acme.key.secret);
  const prompt = (name: string) => ({
    name,
    messages: [{ role: 'user', content: 'Hello.' }],
  });

  expect(await agent.run('create_prompt', prompt('one'))).toBe(-32602);
  const own = await agent.run('create_prompt', { ...prompt('one'), space: 'me' });
  expect(own).toMatchObject({ space: 'me', qualified_name: 'me/one' });
  expect(await agent.run('create_prompt', { ...prompt('one'), space: 'red' })).toBe(
    'capability_denied',
  );
  expect(await agent.run('create_prompt', { ...prompt('one'), space: 'organization' })).toBe(
    'capability_denied',
  );
  for (const space of ['blue', 'nowhere', 'me/x', ''])
    expect(await agent.run('create_prompt', { ...prompt('one'), space })).toBe('not_found');

  await askAs(owner, {
    ...{ method: 'PATCH', path: `${red}/members/${mia.account_id}` },
    body: { role_ids: [writer.id] },
  });
  expect(await agent.run('create_prompt', { ...prompt('one'), space: 'red' })).toBe(
    'capability_denied',
  );
  const granted = await createKey(mia, { org_scope: id, mcp_capabilities: CAPABILITIES, grants });
  const other = createAgent(teams.gateway, granted.secret);
  const created = await other.run('create_prompt', { ...prompt('one'), space: 'red' });
  expect(created).toMatchObject({ space: 'red', qualified_name: 'red/one', version: 1 });
  expect((await askAs(owner, { path: `${red}/prompts/${created.id}` })).status).toBe(200);

  const change = (target: string | undefined) =>
    other.run('patch_prompt', { id: target, title: 'Changed' });
  expect(await change(own.id)).toMatchObject({ title: 'Changed', version: 2 });
  expect(await change(created.id)).toBe('capability_denied');
  expect(await change(items.prompts['catalog'])).toBe('capability_denied');
  for (const space of ['blue', 'owner', 'personal'])
    expect([space, await change(items.prompts[space])]).toEqual([space, 'not_found']);
  expect(await other.run('delete_prompt', { id: own.id })).toEqual({ deleted: own.id });

  const listed = await other.run('list_prompts');
  expect(listed.data.map((one) => [one['qualified_name'], one['space']])).toEqual([
    ['guide', 'organization'],
    ['me/guide', 'me'],
    ['red/guide', 'red'],
    ['red/one', 'red'],
    ['wide', 'organization'],
  ]);
  await askAs(owner, { method: 'DELETE', path: `${red}/prompts/${created.id}` });
});

test('reads over MCP are counted for the organization, not for the person', async () => {
  const agent = createAgent(teams.gateway, acme.key.secret);
  expect(await agent.reads('resources', 'toolgate://me/guide.md')).toBe(true);

  const rows = () =>
    teams.world.query(
      `SELECT DISTINCT owner_kind, owner_id FROM usage_ledger
       WHERE key_id = $1 AND item_name = 'guide.md'`,
      [acme.key.id],
    );
  await expect
    .poll(rows, { timeout: 5_000 })
    .toEqual([{ owner_kind: 'organization', owner_id: acme.id }]);
  expect(outcomeOf(await askAs(acme.mia, { path: '/api/me/usage' }))).toEqual([200]);
});
