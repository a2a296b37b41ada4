import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  ADMIN,
  askAs,
  at,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
  OWNER,
} from '../../support/people/organizations.ts';
import { createTeam, createTeamRole, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, joins, organization } = await useOrganizations();
const otherGateway = await world.gateway();

type Listed = { data: MemberRecord[]; next_cursor: string | null };

/** Creates an organization with its Owner and a member. */
async function withMember(role_ids?: string[]) {
  const { id, path, owner, join } = await organization();
  const member = await join(role_ids);
  const memberPath = ({ account_id }: SignedUp) => `${path}/members/${account_id}`;
  const setRoles = (who: SignedUp, target: SignedUp, ids: readonly string[]) =>
    askAs<MemberRecord>(who, {
      method: 'PATCH',
      path: memberPath(target),
      body: { role_ids: ids },
    });
  const remove = (who: SignedUp, target: SignedUp) =>
    askAs(who, { method: 'DELETE', path: memberPath(target) });
  return { id, path, owner, member, setRoles, remove, join };
}

test('members are listed with their names, addresses and roles, in pages', async () => {
  const { path, owner, member } = await withMember([MEMBER, ADMIN]);

  const first = await askAs<Listed>(member, { path: `${path}/members?limit=1` });
  const rest = await askAs<Listed>(member, {
    path: `${path}/members?limit=1&cursor=${first.body.next_cursor}`,
  });

  expect([...first.body.data, ...rest.body.data]).toEqual([
    {
      ...{ account_id: owner.account_id, email: owner.email, owner: true },
      ...{ first_name: 'Ada', last_name: 'Lovelace', joined_at: expect.any(String) },
      roles: [{ id: OWNER, name: 'Owner' }],
      teams: [],
    },
    {
      ...{ account_id: member.account_id, email: member.email, owner: false },
      ...{ first_name: 'Ada', last_name: 'Lovelace', joined_at: expect.any(String) },
      roles: [
        { id: ADMIN, name: 'Admin' },
        { id: MEMBER, name: 'Member' },
      ],
      teams: [],
    },
  ]);
  expect(rest.body.next_cursor).toBeNull();
});

test('a change of a member’s roles takes effect with the next request on every gateway', async () => {
  const { path, owner, member, setRoles } = await withMember();
  const list = () => askAs(at(member, otherGateway), { path: `${path}/members` });
  for (let round = 0; round < 5; round += 1) {
    expect((await setRoles(owner, member, [ADMIN])).body.roles).toEqual([
      { id: ADMIN, name: 'Admin' },
    ]);
    expect((await list()).status).toBe(200);
    expect((await setRoles(owner, member, [MEMBER, MEMBER])).status).toBe(200);
    expect(outcomeOf(await list())).toEqual([403, 'permission_denied']);
  }
});

test.each<[string, unknown, number, string]>([
  ['an empty list', [], 400, 'invalid_body'],
  ['a string instead of a list', 'x', 400, 'invalid_body'],
  ['a malformed id', ['x'], 400, 'invalid_body'],
  ['an unknown role', [MEMBER, randomUUID()], 422, 'unknown_role'],
  ['the Owner role', [OWNER], 422, 'owner_by_transfer'],
])('%s is refused and changes nothing', async (_what, role_ids, status, code) => {
  const { owner, member, path, setRoles } = await withMember();

  const refused = await setRoles(owner, member, role_ids as string[]);

  expect(outcomeOf(refused)).toEqual([status, code]);
  const { body } = await askAs<OrganizationRecord>(member, { path });
  expect(body.membership.roles).toEqual([{ id: MEMBER, name: 'Member' }]);
});

test('a role of another organization is refused as unknown', async () => {
  const { owner, member, setRoles } = await withMember();
  const other = await withMember();
  const role = await createRole(other.owner, other.id, { name: 'Helper' });

  const refused = await setRoles(owner, member, [role.id]);

  expect(outcomeOf(refused)).toEqual([422, 'unknown_role']);
  expect(refused.body.errors?.[0]?.detail).toEqual({ pointer: '/role_ids/0' });
});

describe('a caller cannot grant what they do not have', () => {
  const manager = {
    name: 'Manager',
    permissions: [
      'can_view_organization',
      'can_update_organization_members',
      'can_remove_organization_members',
    ],
    capabilities: ['tools'],
  };

  test('a role with permissions that the caller does not have is refused, and the response names each of them', async () => {
    const { id, owner, member, setRoles, join } = await withMember();
    const role = await createRole(owner, id, manager);
    const wider = await createRole(owner, id, {
      ...{
        name: 'Wider',
        permissions: ['can_update_organization_members', 'can_view_organization_usage'],
      },
      capabilities: ['tools', 'agents'],
    });
    const bob = await join([role.id], 'bob');

    const refused = await setRoles(bob, member, [MEMBER, wider.id]);

    expect(refused.status).toBe(422);
    expect(refused.body.errors?.map(({ code, detail }) => [code, detail])).toEqual([
      [
        'permission_not_held',
        { pointer: '/role_ids/1', permission: 'can_view_organization_usage' },
      ],
      ['capability_escalation', { pointer: '/role_ids/1', capability: 'agents' }],
    ]);
    expect((await setRoles(bob, member, [MEMBER, role.id])).status).toBe(200);
    expect(outcomeOf(await setRoles(bob, bob, [role.id, ADMIN]))).toEqual([
      422,
      'permission_not_held',
    ]);
  });

  test('a caller who has all that a member has can add a role to those that the member keeps', async () => {
    const { id, owner, setRoles, join } = await withMember();
    const role = await createRole(owner, id, manager);
    const reader = await createRole(owner, id, { name: 'Reader' });
    const bob = await join([role.id], 'bob');
    const cat = await join([role.id], 'cat');

    expect((await setRoles(bob, cat, [role.id, reader.id])).status).toBe(200);
  });

  test('a member with more permissions than the caller can be neither changed nor removed', async () => {
    const { id, owner, setRoles, remove, join } = await withMember();
    const role = await createRole(owner, id, manager);
    const [bob, admin] = [await join([role.id], 'bob'), await join([ADMIN], 'admin')];

    for (const above of [owner, admin]) {
      expect(outcomeOf(await setRoles(bob, above, [role.id]))).toEqual([403, 'permission_denied']);
      expect(outcomeOf(await remove(bob, above))).toEqual([403, 'permission_denied']);
    }
    // The Owner has three permissions that no role contains.
    expect(outcomeOf(await setRoles(admin, owner, [OWNER, MEMBER]))[0]).toBe(403);
    expect((await setRoles(owner, admin, [MEMBER])).status).toBe(200);
    expect((await remove(bob, admin)).status).toBe(204);
  });

  test('a member with more permissions or capabilities in a team than the caller can be neither changed nor removed', async () => {
    const { id, owner, member, setRoles, remove, join } = await withMember();
    const remover = await createRole(owner, id, {
      name: 'Remover',
      permissions: ['can_update_organization_members', 'can_remove_organization_members'],
    });
    const bob = await join([MEMBER, remover.id], 'bob');
    const chief = await join([ADMIN], 'chief');
    const red = seatsOf(id, (await createTeam(owner, id, 'red')).id);
    const blue = seatsOf(id, (await createTeam(owner, id, 'blue')).id);
    const tools = await createTeamRole(owner, `${red.path}/roles`, {
      ...{ name: 'Tools', capabilities: ['tools'] },
    });
    await blue.add(owner, member);
    for (const role_ids of [[TEAM_ADMIN], [tools.id]]) {
      await red.add(owner, member, role_ids);
      const reduced = await setRoles(bob, member, [MEMBER]);
      expect(outcomeOf(reduced)).toEqual([403, 'permission_denied']);
      expect(outcomeOf(await remove(bob, member))).toEqual([403, 'permission_denied']);
      await red.remove(owner, member);
    }

    await red.add(owner, bob, [tools.id]);
    await red.add(owner, member, [tools.id]);
    expect((await setRoles(bob, member, [MEMBER])).status, 'they have the same').toBe(200);
    expect((await remove(bob, member)).status, 'they have the same').toBe(204);
    await joins.add(id, member);
    await red.add(owner, member, [TEAM_ADMIN]);
    expect((await remove(chief, member)).status, 'Admins manage every team').toBe(204);
  });
});

test('the Owner cannot leave or drop the Owner role, but can get other roles in addition (rel:B9-3)', async () => {
  const { owner, setRoles, remove } = await withMember();

  expect(outcomeOf(await setRoles(owner, owner, [ADMIN]))).toEqual([422, 'last_owner']);
  expect(outcomeOf(await remove(owner, owner))).toEqual([422, 'last_owner']);
  expect((await setRoles(owner, owner, [OWNER, MEMBER])).body.owner).toBe(true);
});

test('a removed member immediately gets a 404 on every gateway, and can join again', async () => {
  const { id, path, owner, member, remove } = await withMember([ADMIN]);
  const read = () => askAs(at(member, otherGateway), { path });
  expect((await read()).status).toBe(200);

  expect((await remove(owner, member)).status).toBe(204);

  expect(outcomeOf(await read())).toEqual([404, 'not_found']);
  expect((await askAs(at(member, otherGateway), { path: '/api/organizations' })).body).toEqual({
    data: [],
    next_cursor: null,
  });
  expect(outcomeOf(await remove(owner, member))).toEqual([404, 'not_found']);
  await joins.add(id, member);
  expect((await askAs<OrganizationRecord>(member, { path })).body.membership.roles).toEqual([
    { id: MEMBER, name: 'Member' },
  ]);
});

test('any member can leave, without any permission', async () => {
  const { id, path, owner, remove, join } = await withMember();
  const bob = await join([(await createRole(owner, id, { name: 'Nothing' })).id], 'bob');
  expect(outcomeOf(await askAs(bob, { path }))).toEqual([403, 'permission_denied']);

  expect((await remove(bob, bob)).status).toBe(204);

  expect(outcomeOf(await askAs(bob, { path }))).toEqual([404, 'not_found']);
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(gateway)).toEqual([]);
});
