import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { startSdkV2 } from '../../support/upstreams/sdk-v2.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';
import { draftOf } from '../organizations/content-items.ts';
import type { FamilyPath } from '../organizations/content-items.ts';
import { createAgent, createUnionWorld } from '../organizations/union.ts';

const PLANS_FILE = new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname;

const server = await closeAfterTests(startSdkV2());
const teams = await useTeams({ PLANS_FILE, OUTBOUND_ALLOW: '127.0.0.1' });
const acme = await createUnionWorld(teams);
const other = await createUnionWorld(teams);

const { create, edit, faults } = scopedKeys(() => teams.otherGateway);

/** Returns the ids of items that are out of reach for a member of the team red. */
const outOfReach = (family: FamilyPath) => {
  const { blue, owner, personal } = acme.items[family];
  return [blue, owner, personal, other.items[family]['red'], other.items[family]['wide']];
};

test('a tool uses an upstream, with its secret headers, only in the upstream’s own space', async () => {
  const add = async (who: SignedUp, space: string) => {
    const body = { name: 'u', url: server.url, headers: { Authorization: 'Bearer secret' } };
    return (await askAs<{ id: string }>(who, { path: `${space}/upstreams`, body })).body.id;
  };
  const { owner, mia, organization, red, blue } = acme;
  const foreign = [
    await add(owner, organization),
    await add(owner, red),
    await add(owner, blue),
    await add(owner, `${organization}/me`),
    await add(mia, '/api/me'),
    await add(other.owner, other.organization),
  ];
  const use = (upstream_id: string) =>
    askAs(mia, {
      path: `${organization}/me/custom-tools`,
      body: { name: 'remote', kind: 'mcp', mcp: { upstream_id, tool: 'echo' } },
    });
  const absent = await use(randomUUID());

  expect(absent.status).toBe(404);
  for (const id of foreign) {
    expect((await use(id)).body).toEqual(absent.body);
    const path = `${organization}/me/upstreams/${id}`;
    for (const request of [{ path }, { path: `${path}/tools` }, { method: 'DELETE', path }])
      expect((await askAs(mia, request)).status).toBe(404);
  }
});

test.each<[FamilyPath, string]>([
  ['resources', 'resource'],
  ['prompts', 'prompt'],
  ['agents', 'agent'],
  ['custom-tools', 'custom_tool'],
])(
  '%s: management tools give the same response for an id out of reach as for an unknown one',
  async (family, noun) => {
    const ids = managementEntries.map(({ tool }) => tool.id);
    await askAs(acme.owner, {
      ...{ method: 'PUT', path: `${acme.organization}/mcp-settings` },
      body: {
        tools: ids,
        organization_wide_tools: ids,
        ...{ platform_prompts: [], organization_wide_prompts: [] },
      },
    });
    const agent = createAgent(teams.otherGateway, acme.key.secret);
    const patches = { description: 'Changed.' };
    const inputs = { get: {}, patch: patches, update: draftOf(family), delete: {} };

    for (const [verb, input] of Object.entries(inputs)) {
      const call = (id: string) => agent.call(`${verb}_${noun}`, { id, ...input });
      const absent = await call(randomUUID());
      expect(absent.result.structuredContent.error?.code).toBe('not_found');
      for (const id of outOfReach(family)) expect(await call(id!)).toEqual(absent);
    }
  },
);

test('a default agent out of reach is refused like one that does not exist (K2)', async () => {
  const assign = (default_agent_id: string) =>
    create(acme.mia, { org_scope: acme.id, mcp_capabilities: ['agents'], default_agent_id });
  const absent = await assign(randomUUID());

  expect(faults(absent)).toEqual([422, 'agent_unavailable /default_agent_id']);
  for (const id of outOfReach('agents')) expect((await assign(id!)).body).toEqual(absent.body);
});

test('a key is found only through the path of its owner', async () => {
  const { owner, mia, organization } = acme;
  const keysPath = `${organization}/keys`;
  const { body: key } = await create(owner, {}, keysPath);
  const own = await create(mia, { org_scope: acme.id });
  const paths: [SignedUp, string][] = [
    [owner, `/api/keys/${key.id}`],
    [owner, `${keysPath}/${own.body.id}`],
    [owner, `/api/keys/${own.body.id}`],
    [other.owner, `${other.organization}/keys/${key.id}`],
  ];

  for (const [who, path] of paths)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { body: { name: 'Mine' } } : {};
      expect((await askAs(who, { method, path, ...body })).status).toBe(404);
    }
});

test('an edit cannot move a key to another organization, nor change its read-only fields', async () => {
  const keysPath = `${acme.organization}/keys`;
  const { body } = await create(acme.owner, { team_ids: [] }, keysPath);
  const { secret: _secret, ...key } = body;
  const fields = {
    ...{ organization_id: other.id, org_scope: other.id, follows_teams: true, created_by: null },
    ...{ status: 'expired', secret: 'sk_other', secret_prefix: 'sk_other', id: randomUUID() },
  };

  expect((await edit(acme.owner, key.id, fields, keysPath)).body).toEqual(key);
});
