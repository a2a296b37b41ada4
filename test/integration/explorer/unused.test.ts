import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { permissions as table } from '../../../src/authz/permissions.ts';
import { catalog } from '../../../src/catalog/catalog.ts';
import type { UnusedAuthority } from '../../../src/explorer/unused/schema.ts';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';
import type { Key } from '../keys/scoped-keys.ts';

const teams = await useTeams();
const keys = scopedKeys(() => teams.gateway);

const grantsOf = (org_id: string, permissions: readonly string[]) => [
  { scope: { type: 'org', org_id }, permissions },
];

/** Lists what is unused, by the id of the credential. */
async function unusedIn(who: SignedUp, id: string, query = '?days=0') {
  const { status, body } = await askAs<{ data: UnusedAuthority[]; next_cursor: string | null }>(
    who,
    { path: `/api/organizations/${id}/access/unused${query}` },
  );
  expect(status).toBe(200);
  return new Map(body.data.map((one) => [one.subject.id, one]));
}

const carried = [
  'can_view_organization_members',
  'can_view_organization_roles',
  'can_update_organization_roles',
  'can_create_organization_roles',
  'can_view_team_members',
  'can_update_team_policies',
];
const mcp_capabilities = ['tools', 'prompts', 'agents'];

/** Creates an organization with one key of its own and one of a member, both of which carry a lot. */
async function createKeys() {
  const { id, owner, team } = await teams.organization();
  const path = `/api/organizations/${id}`;
  // Every key of the organization may use it.
  const tool = catalog.tools().find(({ name }) => name === 'calculator')!.id;
  await askAs(owner, {
    ...{ method: 'PUT', path: `${path}/mcp-settings` },
    body: {
      ...{ tools: [tool], platform_prompts: [] },
      ...{ organization_wide_tools: [tool], organization_wide_prompts: [] },
    },
  });
  const fields = { grants: grantsOf(id, carried), mcp_capabilities };
  const [owned, own] = [
    await keys.create(owner, { ...fields, team_ids: [team.id] }, `${path}/keys`),
    await keys.create(owner, { ...fields, org_scope: id }),
  ];
  expect([owned.status, own.status]).toEqual([201, 201]);
  const both = [
    { kind: 'organization_key', key: owned.body, path: `${path}/keys` },
    { kind: 'key', key: own.body, path: '/api/keys' },
  ];
  return { id, owner, team, path, both };
}

const isAccepted = (status: number | string) => typeof status === 'number' && status < 400;

test('what a credential has not used is listed, and without it everything that it did still works', async () => {
  const { id, owner, team, path, both } = await createKeys();
  const requests: SendRequest[] = [
    { path: `${path}/members` },
    // The permission to update roles includes it, but the key carries it as well.
    { path: `${path}/roles` },
    // Only the permission to change all policies includes it.
    { path: `${path}/teams/${team.id}/policies/tool` },
  ];
  const traffic = async (key: Key) => [
    ...(await Promise.all(requests.map(async (one) => (await keys.rest(owner, key, one)).status))),
    await keys.call(key.secret),
  ];
  const before = await Promise.all(both.map(async ({ key }) => traffic(key)));
  expect(before.flat().filter((one) => !isAccepted(one))).toEqual([]);

  const unused = await unusedIn(owner, id);

  for (const { kind, key } of both)
    expect(unused.get(key.id)).toEqual({
      subject: {
        ...{ kind, id: key.id, name: expect.any(String) },
        owner: kind === 'key' ? { account_id: owner.account_id, email: owner.email } : null,
        last_used_at: expect.toBeOneOf([null, expect.any(String)]),
      },
      permissions: [
        'can_update_organization_roles',
        'can_create_organization_roles',
        'can_view_team_members',
      ],
      capabilities: ['prompts', 'agents'],
      items: [],
      unused_since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  for (const { key, path: at } of both) {
    const { permissions, capabilities } = unused.get(key.id)!;
    const without = (all: readonly string[], removed: readonly string[]) =>
      all.filter((one) => !removed.includes(one));
    const edit = {
      grants: grantsOf(id, without(carried, permissions)),
      mcp_capabilities: without(mcp_capabilities, capabilities),
    };
    expect((await keys.edit(owner, key.id, edit, at)).status).toBe(200);
  }
  expect(await Promise.all(both.map(async ({ key }) => traffic(key)))).toEqual(before);
  expect((await unusedIn(owner, id)).size).toBe(0);
});

test('a key that gives permissions to a role uses them too (G2)', async () => {
  const { id, owner, path, both } = await createKeys();
  for (const [index, { key }] of both.entries()) {
    const { status } = await keys.rest(owner, key, {
      path: `${path}/roles`,
      body: { name: `reader ${index}`, permissions: ['can_view_organization_members'] },
    });
    expect(status).toBe(201);
  }

  const unused = await unusedIn(owner, id);

  for (const { key } of both)
    expect(unused.get(key.id)!.permissions).toEqual([
      'can_view_organization_roles',
      'can_update_organization_roles',
      'can_view_team_members',
      'can_update_team_policies',
    ]);
});

test('a credential counts once it is older than the period, and uses count once they are recorded', async () => {
  const { id, owner, both } = await createKeys();
  const [owned] = both;
  const at = (rows: string, column: string, days: number, where = 'true') =>
    teams.world.query(
      `UPDATE ${rows} SET ${column} = now() - make_interval(days => ${days}) WHERE ${where}`,
    );
  const listed = async () => (await unusedIn(owner, id, '')).has(owned!.key.id);

  expect(await listed()).toBe(false);
  await at('api_key', 'created_at', 100, `id = '${owned!.key.id}'`);
  expect(await listed()).toBe(true);
  await at('api_key', 'last_used_at', 1, `id = '${owned!.key.id}'`);
  expect(await listed()).toBe(false);
  await at('permission_use_start', 'began_at', 91);
  expect(await listed()).toBe(true);
  await keys.rest(owner, owned!.key, { path: `/api/organizations/${id}/members` });
  const recent = await unusedIn(owner, id, '?days=90');
  expect(recent.get(owned!.key.id)!.permissions).not.toContain('can_view_organization_members');
  await at('permission_use', 'last_used_on', 91, `credential_id = '${owned!.key.id}'`);
  const old = await unusedIn(owner, id, '?days=90');
  expect(old.get(owned!.key.id)!.permissions).toContain('can_view_organization_members');
});

test('OAuth clients and what members authorized are listed with scopes', async () => {
  const { id, owner } = await teams.organization();
  const scopeOf = (relation: string) =>
    table.organization.find((one) => one.relation === relation)!.scope!;
  const scopes = [scopeOf('members_read'), scopeOf('roles_read'), 'mcp_tools', 'mcp_prompts'];
  const [client, machine, connection] = [randomUUID(), randomUUID(), randomUUID()];
  await teams.world.query(
    `INSERT INTO oauth_client
       (id, organization_id, name, type, grant_types, redirect_uris, allowed_scopes)
     VALUES ($1, $2, 'Reporter', 'confidential', '{client_credentials}', '{}', $3)`,
    [client, id, scopes],
  );
  for (const [one, kind, account_id] of [
    [machine, 'machine', null],
    [connection, 'delegated', owner.account_id],
  ])
    await teams.world.query(
      `INSERT INTO oauth_connection
         (id, kind, client_id, account_id, organization_id, scopes, activated_at)
       VALUES ($1, $2, $3, $4, $5, $6, now())`,
      [one, kind, client, account_id, id, scopes],
    );
  for (const permission of ['can_view_organization_members', 'mcp_tools'])
    await teams.world.query(
      `INSERT INTO permission_use (organization_id, credential_id, permission, last_used_on)
       VALUES ($1, $2, $3, now() AT TIME ZONE 'UTC')`,
      [id, machine, permission],
    );

  const unused = await unusedIn(owner, id);

  expect(unused.get(machine)).toMatchObject({
    subject: { kind: 'client', name: 'Reporter', owner: null },
    permissions: [scopeOf('roles_read')],
    capabilities: ['prompts'],
  });
  expect(unused.get(connection)).toMatchObject({
    subject: { kind: 'connection', owner: { account_id: owner.account_id, email: owner.email } },
    permissions: [scopeOf('members_read'), scopeOf('roles_read')],
    capabilities: ['tools', 'prompts'],
  });
});

test('pages have no gaps; another organization and people without the permission see nothing', async () => {
  const { id, owner, both } = await createKeys();
  const other = await createKeys();
  const bob = await teams.join(id, 'bob');
  const path = `/api/organizations/${id}/access/unused`;

  const { body: first } = await askAs<{ data: UnusedAuthority[]; next_cursor: string }>(owner, {
    path: `${path}?days=0&limit=1`,
  });
  const { body: last } = await askAs<{ data: UnusedAuthority[]; next_cursor: null }>(owner, {
    path: `${path}?days=0&limit=1&cursor=${first.next_cursor}`,
  });

  const ids = [...first.data, ...last.data].map(({ subject }) => subject.id);
  expect(ids.toSorted()).toEqual(both.map(({ key }) => key.id).toSorted());
  expect(last.next_cursor).toBe(null);
  expect(outcomeOf(await askAs(bob, { path }))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await askAs(other.owner, { path }))).toEqual([404, 'not_found']);
  for (const days of ['-1', '366', '1.5', 'x'])
    expect((await askAs(owner, { path: `${path}?days=${days}` })).status).toBe(400);
});
