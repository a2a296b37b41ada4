import { describe, expect, test } from 'vitest';
import type { RoleRecord } from '../../../src/organizations/roles/schema.ts';
import { sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  addAccounts,
  ADMIN,
  askAs,
  at,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
  OWNER,
} from '../../support/people/organizations.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, joins, organization } = await useOrganizations();
const otherGateway = await world.gateway();

type Listed<Item> = { data: Item[]; next_cursor: string | null };

/** Creates an organization; returns also the requests about its roles. */
async function withRequests() {
  const created = await organization();
  const { path } = created;
  return {
    ...created,
    edit: (who: SignedUp, role: string, body: object) =>
      askAs<RoleRecord>(who, { method: 'PATCH', path: `${path}/roles/${role}`, body }),
    remove: (who: SignedUp, role: string, query = '') =>
      askAs(who, { method: 'DELETE', path: `${path}/roles/${role}${query}` }),
    create: (who: SignedUp, body: object) =>
      askAs<RoleRecord>(who, { path: `${path}/roles`, body }),
  };
}

const people = (count: number) => addAccounts(world, gateway, count);

test('the system roles are listed first, are the same in every organization, and have member counts', async () => {
  const { owner, id, path, join } = await withRequests();
  await join();
  const created = await createRole(owner, id, {
    ...{ name: '  Helper ', permissions: ['can_view_organization', 'can_view_organization'] },
    capabilities: ['prompts'],
  });

  const { body } = await askAs<Listed<RoleRecord>>(owner, { path: `${path}/roles` });

  expect(created).toEqual({
    ...{ id: expect.any(String), name: 'Helper', description: '', system: false, members: 0 },
    ...{ permissions: ['can_view_organization'], capabilities: ['prompts'] },
  });
  expect((await askAs(owner, { path: `${path}/roles/${created.id}` })).body).toEqual(created);
  expect(
    body.data.map((role) => [
      role.id,
      role.name,
      role.system,
      role.permissions.length,
      role.members,
    ]),
  ).toEqual([
    [OWNER, 'Owner', true, 48, 1],
    [ADMIN, 'Admin', true, 48, 0],
    [MEMBER, 'Member', true, 1, 1],
    [created.id, 'Helper', false, 1, 0],
  ]);
  expect(body.data.map((role) => role.capabilities.length)).toEqual([4, 4, 0, 1]);
});

test('an edit of a role takes effect for all its members with the next request, on every gateway', async () => {
  const { owner, id, path, join, edit } = await withRequests();
  const role = await createRole(owner, id, { name: 'Reader' });
  const holders = [await join([role.id]), await join([MEMBER, role.id])];
  const list = (who: SignedUp) => askAs(at(who, otherGateway), { path: `${path}/members` });
  for (let round = 0; round < 3; round += 1) {
    for (const holder of holders) expect((await list(holder)).status).toBe(403);
    const permissions = ['can_invite_organization_members'];
    expect((await edit(owner, role.id, { permissions })).body.permissions).toEqual(permissions);
    for (const holder of holders) expect((await list(holder)).status).toBe(200);
    expect((await edit(owner, role.id, { permissions: [] })).status).toBe(200);
  }
  expect(await driftOf(gateway)).toEqual([]);
});

test('an edit is one change of one scope, however many members have the role', async () => {
  const { owner, id, edit } = await withRequests();
  const role = await createRole(owner, id, { name: 'Reader' });
  const lastChange = async () =>
    (
      await world.query(
        `SELECT kind, reason, jsonb_array_length(deletes) AS deletes,
           jsonb_array_length(writes) AS writes FROM authz_outbox ORDER BY created_at, kind, id`,
      )
    ).slice(-1)[0];
  const count = async () =>
    Number((await world.query('SELECT count(*) FROM authz_outbox'))[0]!['count']);
  const costs: unknown[] = [];
  for (const holders of [1, 40]) {
    for (const { id: account_id } of await people(holders))
      await joins.add(id, { account_id }, [role.id]);
    await edit(owner, role.id, { permissions: [] });
    const before = await count();
    expect((await edit(owner, role.id, { permissions: ['can_view_organization'] })).status).toBe(
      200,
    );
    costs.push([(await count()) - before, await lastChange()]);
  }

  expect(costs).toEqual([
    [1, { kind: 'organization', reason: 'role.update', deletes: 0, writes: 1 }],
    [1, { kind: 'organization', reason: 'role.update', deletes: 0, writes: 1 }],
  ]);
});

test.each<[string, object, number, string]>([
  ['no name', {}, 400, 'invalid_body'],
  ['an invisible name', { name: '\u2800' }, 400, 'invalid_body'],
  ['a name of 65 characters', { name: 'a'.repeat(65) }, 400, 'invalid_body'],
  ['an unknown capability', { name: 'x', capabilities: ['all'] }, 400, 'invalid_body'],
  ['a capability twice', { name: 'x', capabilities: ['tools', 'tools'] }, 400, 'invalid_body'],
  ['permissions that are not a list', { name: 'x', permissions: 'all' }, 400, 'invalid_body'],
  ['the name of a system role', { name: 'OWNER' }, 409, 'name_taken'],
  ['a name in use, ignoring case', { name: 'STRASSENHELFER' }, 409, 'name_taken'],
  ['an unknown permission', { name: 'x', permissions: ['can_fly'] }, 422, 'unknown_permission'],
  [
    'a personal permission',
    { name: 'x', permissions: ['can_view_tools'] },
    422,
    'unknown_permission',
  ],
  [
    'a team permission',
    { name: 'x', permissions: ['can_view_team_usage'] },
    422,
    'unknown_permission',
  ],
  ...['delete_organization', 'update_organization_billing', 'transfer_organization_ownership'].map(
    (name): [string, object, number, string] => [
      `can_${name}, which only the Owner’s session has`,
      { name: 'x', permissions: [`can_${name}`] },
      422,
      'unknown_permission',
    ],
  ),
])('a role with %s is refused, on creation and on edit', async (_what, body, status, code) => {
  const { owner, id, create, edit } = await withRequests();
  await createRole(owner, id, { name: 'Straßenhelfer' });
  const other = await createRole(owner, id, { name: 'Other' });

  expect(outcomeOf(await create(owner, body))).toEqual([status, code]);
  if ('name' in body) expect(outcomeOf(await edit(owner, other.id, body))).toEqual([status, code]);
});

test('only one of 20 concurrent requests to create a role with the same name succeeds', async () => {
  const { owner, create } = await withRequests();

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      create(at(owner, index % 2 ? gateway : otherGateway), { name: index % 3 ? 'Same' : 'SAME' }),
    ),
  );

  expect(sortedStatuses(answers)).toEqual([201, ...Array(19).fill(409)]);
});

test('a system role can neither be changed nor deleted', async () => {
  const { owner, edit, remove } = await withRequests();

  for (const role of [OWNER, ADMIN, MEMBER]) {
    expect(outcomeOf(await edit(owner, role, { description: 'x' }))).toEqual([422, 'system_role']);
    expect(outcomeOf(await remove(owner, role))).toEqual([422, 'system_role']);
  }
});

describe('a caller cannot grant what they do not have', () => {
  const editor = {
    name: 'Editor',
    permissions: ['can_create_organization_roles', 'can_update_organization_roles'],
    capabilities: ['tools'],
  };

  test('a new role has at most its creator’s permissions, including implied ones', async () => {
    const { owner, id, join, create } = await withRequests();
    const bob = await join([(await createRole(owner, id, editor)).id]);

    const refused = await create(bob, {
      ...{ name: 'More', capabilities: ['tools', 'agents'] },
      permissions: ['can_view_organization_roles', 'can_delete_organization_roles'],
    });

    expect(refused.body.errors?.map(({ code, detail }) => [code, detail])).toEqual([
      [
        'permission_not_held',
        { pointer: '/permissions/1', permission: 'can_delete_organization_roles' },
      ],
      ['capability_escalation', { pointer: '/capabilities/1', capability: 'agents' }],
    ]);
    const fine = { ...editor, name: 'Fine', permissions: ['can_view_organization_roles'] };
    expect((await create(bob, fine)).status).toBe(201);
  });

  test('an edit adds at most the caller’s own permissions, and may remove any', async () => {
    const { owner, id, join, edit } = await withRequests();
    const bob = await join([(await createRole(owner, id, editor)).id]);
    const wide = await createRole(owner, id, {
      ...{ name: 'Wide', capabilities: ['tools', 'agents'] },
      permissions: ['can_update_organization_sso', 'can_view_organization_usage'],
    });

    // Both are already in the role or implied by it, so the edit grants nothing.
    const permissions = ['can_update_organization_sso', 'can_view_organization_sso'];
    expect(
      (await edit(bob, wide.id, { permissions: permissions, capabilities: ['agents'] })).status,
    ).toBe(200);
    expect(
      outcomeOf(await edit(bob, wide.id, { permissions: ['can_view_organization_usage'] })),
    ).toEqual([422, 'permission_not_held']);
    expect(outcomeOf(await edit(bob, wide.id, { capabilities: ['agents', 'prompts'] }))).toEqual([
      422,
      'capability_escalation',
    ]);
    expect((await edit(bob, wide.id, { capabilities: ['agents', 'tools'] })).status).toBe(200);
  });
});
