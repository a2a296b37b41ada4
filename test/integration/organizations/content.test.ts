import { expect, test } from 'vitest';
import type { SignedUp } from '../../support/people/people.ts';
import {
  askAs,
  at,
  createOrganization,
  createRole,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole } from '../../support/people/teams.ts';
import { create, draftOf, FAMILIES, patch } from './content-items.ts';
import type { Item, Listed } from './content-items.ts';

const teams = await useTeams();

const names = async (who: SignedUp, path: string) =>
  (await askAs<Listed>(who, { path })).body.data.map(({ qualified_name }) => qualified_name);

const qualified = (prefixes: { tool: string; name: string; uri: string }) => ({
  resources: `${prefixes.uri}guide.md`,
  prompts: `${prefixes.name}guide`,
  agents: `${prefixes.name}guide`,
  'custom-tools': `${prefixes.tool}guide`,
});

test.each(FAMILIES)(
  '%s: an item has its space and its MCP name, and equal names in other spaces do not clash (P9)',
  async (family) => {
    const { id, owner, path: team } = await teams.organization();
    const organization = `/api/organizations/${id}`;
    const spaces = [
      [organization, 'organization', qualified({ tool: '', name: '', uri: 'toolgate://org/' })],
      [team, 'red', qualified({ tool: 'red__', name: 'red/', uri: 'toolgate://team/red/' })],
      [`${organization}/me`, 'me', qualified({ tool: 'me__', name: 'me/', uri: 'toolgate://me/' })],
    ] as const;

    for (const [path, space, expected] of spaces) {
      const created = await create(owner, path, family);

      expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"']);
      expect(created.body).toMatchObject({ space, qualified_name: expected[family] });
      expect('organization_wide' in created.body).toBe(space === 'organization');
      const item = `${path}/${family}/${created.body.id}`;
      const read = await askAs<Item>(at(owner, teams.otherGateway), { path: item });
      expect(read.body).toEqual(created.body);
      expect(await names(owner, `${path}/${family}`)).toEqual([expected[family]]);
      expect(outcomeOf(await create(owner, path, family))).toEqual([409, 'name_taken']);
    }
    // An item of the personal space has neither field.
    const own = await create(owner, '/api/me', family);
    expect([own.status, 'space' in own.body, 'organization_wide' in own.body]).toEqual([
      201,
      false,
      false,
    ]);
  },
);

test.each(FAMILIES)(
  '%s: an item can be made organization-wide at creation or by an edit, and stays so when a version is restored',
  async (family) => {
    const { id, owner } = await teams.organization();
    const path = `/api/organizations/${id}`;
    const { body: narrow } = await create(owner, path, family);
    const item = `${path}/${family}/${narrow.id}`;

    const wide = await patch(owner, item, { organization_wide: true });
    const renamed = await patch(owner, item, {
      [family === 'resources' ? 'path' : 'name']: 'other',
    });
    const restored = await askAs<Item>(owner, {
      method: 'POST',
      path: `${item}/versions/1/restore`,
    });

    expect(narrow.organization_wide).toBe(false);
    expect([wide.body.version, wide.body.organization_wide]).toEqual([2, true]);
    expect([renamed.body.version, renamed.body.organization_wide]).toEqual([3, true]);
    expect([restored.body.version, restored.body.organization_wide]).toEqual([4, true]);
    const same = await patch(owner, item, { organization_wide: true });
    expect([same.status, same.body.version]).toEqual([200, 4]);
    expect(outcomeOf(await patch(owner, item, { organization_wide: 'yes' }))).toEqual([
      400,
      'invalid_body',
    ]);
    const second = { ...draftOf(family, 'second'), organization_wide: true };
    const created = await askAs<Item>(owner, { path: `${path}/${family}`, body: second });
    expect(created.body.organization_wide).toBe(true);
  },
);

test('each operation on the catalog requires its own permission, and the audit log lists only successful changes', async () => {
  const { id, owner } = await teams.organization();
  const path = `/api/organizations/${id}`;
  const joinWithPermission = async (permission: string) => {
    const role = await createRole(owner, id, { name: permission, permissions: [permission] });
    return teams.join(id, undefined, [role.id]);
  };
  const viewer = await joinWithPermission('can_view_organization_prompts');
  const creator = await joinWithPermission('can_create_organization_prompts');

  const created = await create(creator, path, 'prompts');
  expect(created.status).toBe(201);
  const item = `${path}/prompts/${created.body.id}`;
  expect((await askAs(viewer, { path: item })).status).toBe(200);
  expect(outcomeOf(await create(viewer, path, 'prompts'))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await patch(creator, item, { title: 'x' }))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await askAs(creator, { method: 'DELETE', path: item }))[0]).toBe(403);
  expect(outcomeOf(await create(creator, path, 'agents'))).toEqual([403, 'permission_denied']);

  const rows = await teams.world.query(
    `SELECT action, actor_id, units FROM audit_event
     WHERE scope_kind = 'organization' AND scope_id = $1 AND action LIKE 'prompt.%'`,
    [id],
  );
  expect(rows).toEqual([
    {
      action: 'prompt.create',
      actor_id: creator.account_id,
      units: [{ type: 'prompt', id: created.body.id }],
    },
  ]);
});

test('only members of a team with the permission can access its items; all others get a 404 (rel:B9-4)', async () => {
  const { id, owner, path, add } = await teams.organization();
  const outsider = await teams.join(id);
  const [reader, unprivileged] = [await teams.join(id), await teams.join(id)];
  const shared = `/api/organizations/${id}/team-roles`;
  const draft = { name: 'Reader', permissions: ['can_view_team_prompts'] };
  await add(owner, reader, [(await createTeamRole(owner, shared, draft)).id]);
  await add(owner, unprivileged);
  const { body } = await create(owner, path, 'prompts');
  const item = `${path}/prompts/${body.id}`;

  expect((await askAs(reader, { path: item })).status).toBe(200);
  expect(outcomeOf(await patch(reader, item, { title: 'x' }))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await askAs(unprivileged, { path: item }))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await askAs(outsider, { path: item }))).toEqual([404, 'not_found']);
  expect(outcomeOf(await create(outsider, path, 'prompts'))).toEqual([404, 'not_found']);
});

test('an item is found only in its own space and organization', async () => {
  const [acme, other] = [await teams.organization(), await teams.organization()];
  const blue = await createTeam(acme.owner, acme.id, 'blue');
  const organization = `/api/organizations/${acme.id}`;
  const paths = [organization, acme.path, `${organization}/teams/${blue.id}`, `${organization}/me`];
  const created = await Promise.all(
    paths.map(async (path) => (await create(acme.owner, path, 'agents')).body.id),
  );

  for (const [index, path] of paths.entries())
    for (const [other_index, id] of created.entries()) {
      const { status } = await askAs(acme.owner, { path: `${path}/agents/${id}` });
      expect([path, other_index, status]).toEqual([
        path,
        other_index,
        index === other_index ? 200 : 404,
      ]);
    }
  // The Owner of another organization uses this team's id, or an item id, in their own paths.
  const foreignPath = `/api/organizations/${other.id}`;
  for (const path of [
    `${foreignPath}/teams/${acme.team.id}`,
    foreignPath,
    other.path,
    `${foreignPath}/me`,
  ])
    for (const id of created)
      expect((await askAs(other.owner, { path: `${path}/agents/${id}` })).status).toBe(404);
  expect((await create(other.owner, `${foreignPath}/teams/${acme.team.id}`, 'agents')).status).toBe(
    404,
  );
});

test('deleting a catalog item removes it from the policies of all teams; an emptied whitelist allows nothing (PO15)', async () => {
  const { id, owner, path } = await teams.organization();
  const organization = `/api/organizations/${id}`;
  const { body: agent } = await create(owner, organization, 'agents');
  const { body: kept } = await create(owner, organization, 'agents', { name: 'kept' });
  const blue = await createTeam(owner, id, 'blue');
  const policies = [
    [`${path}/policies/agent`, { mode: 'whitelist', agents: [agent.id] }],
    [
      `${organization}/teams/${blue.id}/policies/agent`,
      { mode: 'blacklist', agents: [kept.id, agent.id] },
    ],
  ] as const;
  for (const [policy, body] of policies)
    expect((await askAs(owner, { method: 'PUT', path: policy, body })).status).toBe(200);

  await askAs(owner, { method: 'DELETE', path: `${organization}/agents/${agent.id}` });

  const after = await Promise.all(
    policies.map(async ([policy]) => (await askAs(owner, { path: policy })).body),
  );
  expect(after).toEqual([
    { mode: 'whitelist', agents: [] },
    { mode: 'blacklist', agents: [kept.id] },
  ]);
});

test('upstreams and imported tools belong to the space they are added to', async () => {
  const { id, owner, path } = await teams.organization();
  const organization = `/api/organizations/${id}`;
  const document = {
    openapi: '3.1.0',
    info: { title: 'Weather', version: '1' },
    servers: [{ url: 'https://example.com' }],
    paths: { '/weather': { get: { operationId: 'weather', summary: 'The weather.' } } },
  };
  const body = { name: 'elsewhere', url: 'https://example.com/mcp', headers: {} };
  for (const [space, name] of [
    [organization, 'weather'],
    [path, 'red__weather'],
    [`${organization}/me`, 'me__weather'],
  ] as const) {
    const imported = await askAs<{ tools: Item[] }>(owner, {
      path: `${space}/custom-tools/import`,
      body: { document },
    });
    expect(imported.body.tools).toMatchObject([{ qualified_name: name }]);
    const upstream = await askAs<Item>(owner, { path: `${space}/upstreams`, body });
    expect(upstream.status).toBe(201);
    const listed = await askAs<Listed>(owner, { path: `${space}/upstreams` });
    expect(listed.body.data.map((one) => one.id)).toEqual([upstream.body.id]);
  }
});

test('an organization cannot access another organization’s items, even if the names are equal', async () => {
  const ada = await teams.organization();
  const bob = await teams.organization();
  for (const { id, owner } of [ada, bob])
    for (const family of FAMILIES)
      expect((await create(owner, `/api/organizations/${id}`, family)).status).toBe(201);

  for (const [one, other] of [
    [ada, bob],
    [bob, ada],
  ] as const)
    for (const family of FAMILIES) {
      const foreign = `/api/organizations/${other.id}/${family}`;
      expect(outcomeOf(await askAs(one.owner, { path: foreign }))).toEqual([404, 'not_found']);
      const created = await create(one.owner, `/api/organizations/${other.id}`, family);
      expect(outcomeOf(created)).toEqual([404, 'not_found']);
    }
  expect((await createOrganization(await teams.join(ada.id, 'cat'))).id).not.toBe(ada.id);
});
