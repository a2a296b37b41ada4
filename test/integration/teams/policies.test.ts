import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { catalog } from '../../../src/catalog/catalog.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, at, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeamRole } from '../../support/people/teams.ts';

const teams = await useTeams();

const FAMILIES = ['tool', 'resource', 'prompt', 'agent'] as const;
const tool = catalog.tools()[0]!.id;
const prompt = catalog.prompts()[0]!.id;
const put = (who: SignedUp, path: string, body: object) =>
  askAs<object>(who, { method: 'PUT', path, body });

test('a new team admits everything in all four families; a policy is replaced as a whole', async () => {
  const { owner, path } = await teams.organization();
  const read = (family: string) =>
    askAs(at(owner, teams.otherGateway), { path: `${path}/policies/${family}` });
  for (const family of FAMILIES) expect((await read(family)).body).toEqual({ mode: 'all' });

  const whitelist = { mode: 'whitelist', tools: [tool] };
  expect((await put(owner, `${path}/policies/tool`, whitelist)).body).toEqual(whitelist);
  const patterns = { mode: 'blacklist', patterns: ['secret/**'] };
  expect((await put(owner, `${path}/policies/resource`, patterns)).body).toEqual(patterns);
  const prompts = { mode: 'whitelist', prompts: [], platform_prompts: [prompt] };
  expect((await put(owner, `${path}/policies/prompt`, prompts)).body).toEqual(prompts);

  expect((await read('tool')).body).toEqual(whitelist);
  expect((await read('resource')).body).toEqual(patterns);
  expect((await read('prompt')).body).toEqual(prompts);
  expect((await read('agent')).body).toEqual({ mode: 'all' });
  const all = { mode: 'all' };
  expect((await put(owner, `${path}/policies/tool`, all)).body).toEqual(all);
});

test.each<[string, string, object, number, string]>([
  ['a missing mode (decisions 9)', 'tool', {}, 400, 'invalid_body'],
  ['mode `all` with a list (P1)', 'tool', { mode: 'all', tools: [tool] }, 400, 'invalid_body'],
  ['a missing list (P2)', 'tool', { mode: 'whitelist' }, 400, 'invalid_body'],
  ['a null list (P2)', 'agent', { mode: 'whitelist', agents: null }, 400, 'invalid_body'],
  [
    'a malformed glob (P3)',
    'resource',
    { mode: 'whitelist', patterns: ['/a'] },
    400,
    'invalid_body',
  ],
  ['an empty list (P4)', 'tool', { mode: 'blacklist', tools: [] }, 422, 'empty_list'],
  ['a duplicate (P4)', 'tool', { mode: 'whitelist', tools: [tool, tool] }, 422, 'duplicate_item'],
  [
    'an unknown tool (P4)',
    'tool',
    { mode: 'whitelist', tools: [randomUUID()] },
    422,
    'unknown_item',
  ],
  [
    'a tool in the prompt list (P4)',
    'prompt',
    { mode: 'whitelist', prompts: [tool] },
    422,
    'unknown_item',
  ],
  [
    'an unknown agent (P4)',
    'agent',
    { mode: 'whitelist', agents: [randomUUID()] },
    422,
    'unknown_item',
  ],
])('%s is refused and changes nothing', async (_what, family, body, status, code) => {
  const { owner, path } = await teams.organization();

  const refused = await put(owner, `${path}/policies/${family}`, body);

  expect(outcomeOf(refused)).toEqual([status, code]);
  expect((await askAs(owner, { path: `${path}/policies/${family}` })).body).toEqual({
    mode: 'all',
  });
});

test('an item outside the organization’s catalog gets the same response as one that does not exist', async () => {
  const { owner, path } = await teams.organization();
  const made = await askAs<{ id: string }>(owner, {
    path: '/api/me/agents',
    body: { name: 'mine', description: 'Mine.', instructions: 'Be mine.' },
  });
  expect(made.status).toBe(201);
  const whitelist = (id: string) => ({ mode: 'whitelist', agents: [id] });

  const [foreign, unknown] = [
    await put(owner, `${path}/policies/agent`, whitelist(made.body.id)),
    await put(owner, `${path}/policies/agent`, whitelist(randomUUID())),
  ];

  expect([foreign.status, foreign.body]).toEqual([422, unknown.body]);
});

test('each family has its own permissions; those of `team_policies` apply to all four (G1)', async () => {
  const { id, owner, path, add } = await teams.organization();
  const shared = `/api/organizations/${id}/team-roles`;
  const joinWithPermissions = async (name: string, permissions: string[]) => {
    const person = await teams.join(id);
    await add(owner, person, [(await createTeamRole(owner, shared, { name, permissions })).id]);
    return person;
  };
  const outcomes = async (who: SignedUp) => {
    const found: Record<string, [number, number]> = {};
    for (const family of FAMILIES) {
      const policyPath = `${path}/policies/${family}`;
      found[family] = [
        (await askAs(who, { path: policyPath })).status,
        (await put(who, policyPath, { mode: 'all' })).status,
      ];
    }
    return found;
  };
  const [withoutPermission, viewOnly, viewAndUpdate]: [number, number][] = [
    [403, 403],
    [200, 403],
    [200, 200],
  ];

  expect(await outcomes(await joinWithPermissions('Nothing', []))).toEqual({
    ...{
      tool: withoutPermission,
      resource: withoutPermission,
      prompt: withoutPermission,
      agent: withoutPermission,
    },
  });
  expect(
    await outcomes(await joinWithPermissions('Tools', ['can_update_team_tool_policies'])),
  ).toEqual({
    ...{
      tool: viewAndUpdate,
      resource: withoutPermission,
      prompt: withoutPermission,
      agent: withoutPermission,
    },
  });
  expect(await outcomes(await joinWithPermissions('Viewer', ['can_view_team_policies']))).toEqual({
    ...{ tool: viewOnly, resource: viewOnly, prompt: viewOnly, agent: viewOnly },
  });
  expect(await outcomes(await joinWithPermissions('Writer', ['can_update_team_policies']))).toEqual(
    {
      ...{
        tool: viewAndUpdate,
        resource: viewAndUpdate,
        prompt: viewAndUpdate,
        agent: viewAndUpdate,
      },
    },
  );
});

test('the audit log records the policy before and after the change', async () => {
  const { owner, path } = await teams.organization();

  await put(owner, `${path}/policies/tool`, { mode: 'blacklist', tools: [tool] });

  const [row] = await teams.world.query<{ detail: unknown }>(
    `SELECT detail FROM audit_event WHERE action = 'team.policy' ORDER BY at DESC LIMIT 1`,
  );
  expect(row?.detail).toEqual({
    ...{ family: 'tool', before: { mode: 'all' } },
    after: { mode: 'blacklist', tools: [tool] },
  });
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});
