import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import { goodPassword, signUp, sortedStatuses } from '../../support/people/people.ts';
import {
  ADMIN,
  askAs,
  createOrganization,
  driftOf,
  MEMBER,
  outcomeOf,
  OWNER,
} from '../../support/people/organizations.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, joins } = await useOrganizations();

type Listed = { data: OrganizationRecord[]; next_cursor: string | null };
const path = '/api/organizations';

test('the creator of an organization is its Owner and has every permission there', async () => {
  const ada = await signUp(world, gateway);

  const acme = await createOrganization(ada, '  Acme  ');

  expect(acme).toEqual({
    id: expect.any(String),
    name: 'Acme',
    plan: 'free',
    status: 'active',
    created_at: expect.any(String),
    membership: {
      roles: [{ id: OWNER, name: 'Owner' }],
      teams: [],
      permissions: expect.any(Array),
      capabilities: ['tools', 'resources', 'prompts', 'agents'],
    },
  });
  expect(new Set(acme.membership.permissions).size).toBe(48);
  expect((await askAs(ada, { path: `${path}/${acme.id}` })).body).toEqual(acme);
  expect((await askAs<Listed>(ada, { path })).body).toEqual({ data: [acme], next_cursor: null });
});

test('a member sees the organization with their own permissions in it', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);

  const seen = await askAs<OrganizationRecord>(bob, { path: `${path}/${id.toUpperCase()}` });

  expect([seen.status, seen.body.membership]).toEqual([
    200,
    {
      roles: [{ id: MEMBER, name: 'Member' }],
      teams: [],
      permissions: ['can_view_organization'],
      capabilities: [],
    },
  ]);
  expect((await askAs<Listed>(bob, { path })).body.data).toEqual([seen.body]);
});

test('a plan limits the organizations of an owner, even for 20 concurrent requests; deleted ones do not count', async () => {
  const ada = await signUp(world, gateway);
  const create = () => askAs<OrganizationRecord>(ada, { path, body: { name: 'Acme' } });

  const answers = await Promise.all(Array.from({ length: 20 }, create));

  expect(sortedStatuses(answers)).toEqual([201, ...Array(19).fill(422)]);
  expect(outcomeOf(await create())).toEqual([422, 'limit_reached']);
  const { id } = answers.find(({ status }) => status === 201)!.body;
  const deleted = {
    method: 'DELETE',
    path: `${path}/${id}`,
    body: { confirm: 'Acme', current_password: goodPassword },
  };
  expect((await askAs(ada, deleted)).status).toBe(204);
  expect((await create()).status).toBe(201);
});

test('organizations are listed newest first, in pages without gaps or duplicates', async () => {
  const cat = await signUp(world, gateway);
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const { id } = await createOrganization(await signUp(world, gateway));
    await joins.add(id, cat);
    ids.unshift(id);
  }

  const first = await askAs<Listed>(cat, { path: `${path}?limit=2` });
  const rest = await askAs<Listed>(cat, {
    path: `${path}?limit=2&cursor=${first.body.next_cursor}`,
  });

  expect([first, rest].map(({ body }) => body.data.map(({ id }) => id))).toEqual([
    ids.slice(0, 2),
    ids.slice(2),
  ]);
  expect(rest.body.next_cursor).toBeNull();
});

test.each([
  ['no name', {}],
  ['an empty name', { name: ' ' }],
  ['a name of 101 characters', { name: 'a'.repeat(101) }],
  ['an invisible character', { name: 'Ac\u200bme' }],
  ['a number', { name: 7 }],
])('%s is refused with a 400', async (_what, body) => {
  const ada = await signUp(world, gateway);

  expect((await askAs(ada, { path, body })).status).toBe(400);
  expect((await askAs<Listed>(ada, { path })).body.data).toEqual([]);
});

test('renaming requires the permission to update the organization, and the audit log records both names', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada, 'Old');
  await joins.add(id, bob, [ADMIN]);

  const renamed = await askAs<OrganizationRecord>(bob, {
    ...{ method: 'PATCH', path: `${path}/${id}`, body: { name: 'New', plan: 'pro', status: 'x' } },
  });

  expect([renamed.status, renamed.body.name, renamed.body.plan]).toEqual([200, 'New', 'free']);
  expect(
    await world.query(
      `SELECT actor_id, detail FROM audit_event WHERE scope_id = $1 AND action = 'organization.update'`,
      [id],
    ),
  ).toEqual([
    { actor_id: bob.account_id, detail: { before: { name: 'Old' }, after: { name: 'New' } } },
  ]);
  const empty = await askAs<OrganizationRecord>(bob, {
    method: 'PATCH',
    path: `${path}/${id}`,
    body: {},
  });
  expect([empty.status, empty.body.name]).toEqual([200, 'New']);
});

test('two concurrent joins create one membership, and a member cannot join again', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);

  const joined = await Promise.allSettled([joins.add(id, bob), joins.add(id, bob, [ADMIN])]);

  expect(joined.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(joins.add(id, bob)).rejects.toMatchObject({ code: 'already_member' });
  await expect(joins.add(randomUUID(), bob)).rejects.toMatchObject({ code: 'not_found' });
  expect(await driftOf(gateway)).toEqual([]);
});
