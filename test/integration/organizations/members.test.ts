import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import { oneAddress, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  ADMIN,
  askAs,
  at,
  createJoins,
  createOrganization,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
  OWNER,
} from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let here: Gateway;
let there: Gateway;
let joins: Joins;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  here = await world.gateway();
  there = await world.gateway();
  joins = await createJoins(here);
});
afterAll(async () => {
  await joins?.close();
  await world?.close();
});

type Listed = { data: MemberRecord[]; next_cursor: string | null };

/** An organization with its Owner and a member. */
async function withMember(role_ids?: string[]) {
  const [owner, member] = [await signUp(world, here, 'owner'), await signUp(world, here, 'member')];
  const { id } = await createOrganization(owner);
  await joins.add(id, member, role_ids);
  const path = `/api/organizations/${id}`;
  const of = ({ account_id }: SignedUp) => `${path}/members/${account_id}`;
  const setRoles = (who: SignedUp, whom: SignedUp, ids: readonly string[]) =>
    askAs<MemberRecord>(who, { method: 'PATCH', path: of(whom), body: { role_ids: ids } });
  const remove = (who: SignedUp, whom: SignedUp) =>
    askAs(who, { method: 'DELETE', path: of(whom) });
  const join = async (name: string, ids?: string[]) => {
    const person = await signUp(world, here, name);
    await joins.add(id, person, ids);
    return person;
  };
  return { id, path, owner, member, setRoles, remove, join };
}

test('members are listed with names, address and roles, in pages', async () => {
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

test('another role bites at the next request on every gateway, in both directions', async () => {
  const { path, owner, member, setRoles } = await withMember();
  const list = () => askAs(at(member, there), { path: `${path}/members` });
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
  ['no role', [], 400, 'invalid_body'],
  ['no list', 'x', 400, 'invalid_body'],
  ['a malformed id', ['x'], 400, 'invalid_body'],
  ['an unknown role', [MEMBER, randomUUID()], 422, 'unknown_role'],
  ['the Owner’s role', [OWNER], 422, 'owner_by_transfer'],
])('%s is refused and changes nothing', async (_what, role_ids, status, code) => {
  const { owner, member, path, setRoles } = await withMember();

  const refused = await setRoles(owner, member, role_ids as string[]);

  expect(outcomeOf(refused)).toEqual([status, code]);
  const { body } = await askAs<OrganizationRecord>(member, { path });
  expect(body.membership.roles).toEqual([{ id: MEMBER, name: 'Member' }]);
});

test('a role of another organization is unknown', async () => {
  const { owner, member, setRoles } = await withMember();
  const other = await withMember();
  const role = await createRole(other.owner, other.id, { name: 'Helper' });

  const refused = await setRoles(owner, member, [role.id]);

  expect(outcomeOf(refused)).toEqual([422, 'unknown_role']);
  expect(refused.body.errors?.[0]?.detail).toEqual({ pointer: '/role_ids/0' });
});

describe('nobody gives what they do not hold', () => {
  const manager = {
    name: 'Manager',
    permissions: [
      'can_view_organization',
      'can_update_organization_members',
      'can_remove_organization_members',
    ],
    capabilities: ['tools'],
  };

  test('a role with more than the caller’s is refused, permission by permission', async () => {
    const { id, owner, member, setRoles, join } = await withMember();
    const role = await createRole(owner, id, manager);
    const wider = await createRole(owner, id, {
      ...{
        name: 'Wider',
        permissions: ['can_update_organization_members', 'can_view_organization_usage'],
      },
      capabilities: ['tools', 'agents'],
    });
    const bob = await join('bob', [role.id]);

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

  test('roles a member has already may stay, also where the caller could not give them', async () => {
    const { id, owner, setRoles, join } = await withMember();
    const role = await createRole(owner, id, manager);
    const reader = await createRole(owner, id, { name: 'Reader' });
    const bob = await join('bob', [role.id]);
    const cat = await join('cat', [role.id]);

    expect((await setRoles(bob, cat, [role.id, reader.id])).status).toBe(200);
  });

  test('a member who may do more can neither be changed nor removed', async () => {
    const { id, owner, setRoles, remove, join } = await withMember();
    const role = await createRole(owner, id, manager);
    const [bob, admin] = [await join('bob', [role.id]), await join('admin', [ADMIN])];

    for (const above of [owner, admin]) {
      expect(outcomeOf(await setRoles(bob, above, [role.id]))).toEqual([403, 'permission_denied']);
      expect(outcomeOf(await remove(bob, above))).toEqual([403, 'permission_denied']);
    }
    // The Owner has three permissions that no role gives.
    expect(outcomeOf(await setRoles(admin, owner, [OWNER, MEMBER]))[0]).toBe(403);
    expect((await setRoles(owner, admin, [MEMBER])).status).toBe(200);
    expect((await remove(bob, admin)).status).toBe(204);
  });
});

test('the Owner can neither leave nor give the role up, but take others besides', async () => {
  const { owner, setRoles, remove } = await withMember();

  expect(outcomeOf(await setRoles(owner, owner, [ADMIN]))).toEqual([422, 'last_owner']);
  expect(outcomeOf(await remove(owner, owner))).toEqual([422, 'last_owner']);
  expect((await setRoles(owner, owner, [OWNER, MEMBER])).body.owner).toBe(true);
});

test('a removed member finds nothing at the next request, on every gateway, and may join again', async () => {
  const { id, path, owner, member, remove } = await withMember([ADMIN]);
  const read = () => askAs(at(member, there), { path });
  expect((await read()).status).toBe(200);

  expect((await remove(owner, member)).status).toBe(204);

  expect(outcomeOf(await read())).toEqual([404, 'not_found']);
  expect((await askAs(at(member, there), { path: '/api/organizations' })).body).toEqual({
    data: [],
    next_cursor: null,
  });
  expect(outcomeOf(await remove(owner, member))).toEqual([404, 'not_found']);
  await joins.add(id, member);
  expect((await askAs<OrganizationRecord>(member, { path })).body.membership.roles).toEqual([
    { id: MEMBER, name: 'Member' },
  ]);
});

test('anybody may leave, without any permission', async () => {
  const { id, path, owner, remove, join } = await withMember();
  const bob = await join('bob', [(await createRole(owner, id, { name: 'Nothing' })).id]);
  expect(outcomeOf(await askAs(bob, { path }))).toEqual([403, 'permission_denied']);

  expect((await remove(bob, bob)).status).toBe(204);

  expect(outcomeOf(await askAs(bob, { path }))).toEqual([404, 'not_found']);
});

test('at the end no tuple differs from its rows', async () => {
  expect(await driftOf(here)).toEqual([]);
});
