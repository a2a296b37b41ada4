import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import { oneAddress, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  addAccounts,
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
let gateway: Gateway;
let otherGateway: Gateway;
let joins: Joins;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  gateway = await world.gateway();
  otherGateway = await world.gateway();
  joins = await createJoins(gateway);
});
afterAll(async () => {
  await joins?.close();
  await world?.close();
});

type Listed<Item> = { data: Item[]; next_cursor: string | null };

async function organization() {
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner);
  const path = `/api/organizations/${id}`;
  return {
    ...{ id, path, owner },
    async join(role_ids?: string[]) {
      const person = await signUp(world, gateway, 'member');
      await joins.add(id, person, role_ids);
      return person;
    },
    remove: (who: SignedUp, role: string, query = '') =>
      askAs(who, { method: 'DELETE', path: `${path}/roles/${role}${query}` }),
  };
}

const people = (count: number) => addAccounts(world, gateway, count);

describe('deleting a role', () => {
  test('is refused with the member count while the role has members, and succeeds otherwise', async () => {
    const { owner, id, path, join, remove } = await organization();
    const [used, unused] = [
      await createRole(owner, id, { name: 'Held' }),
      await createRole(owner, id, { name: 'Free' }),
    ];
    await join([used.id]);
    await join([used.id, MEMBER]);

    const refused = await remove(owner, used.id);

    expect([...outcomeOf(refused), refused.body.errors?.[0]?.detail]).toEqual([
      ...[409, 'role_in_use'],
      { members: 2, invitations: 0 },
    ]);
    expect((await remove(owner, unused.id)).status).toBe(204);
    expect((await askAs(owner, { path: `${path}/roles/${unused.id}` })).status).toBe(404);
    expect((await createRole(owner, id, { name: 'free' })).name).toBe('free');
  });

  test.each<[string, () => string, string]>([
    ['an unknown role', () => randomUUID(), 'unknown_role'],
    ['the Owner role', () => OWNER, 'owner_by_transfer'],
  ])('%s cannot be the replacement', async (_what, replacement, code) => {
    const { owner, id, join, remove } = await organization();
    const role = await createRole(owner, id, { name: 'Held' });
    await join([role.id]);

    expect(outcomeOf(await remove(owner, role.id, `?replace_with=${replacement()}`))).toEqual([
      422,
      code,
    ]);
    expect(outcomeOf(await remove(owner, role.id, `?replace_with=${role.id}`))).toEqual([
      422,
      'unknown_role',
    ]);
    expect((await remove(owner, role.id, '?replace_with=x')).status).toBe(400);
  });

  test('requires that the caller may grant the replacement', async () => {
    const { owner, id, join, remove } = await organization();
    const cleaner = await createRole(owner, id, {
      ...{ name: 'Cleaner', permissions: ['can_delete_organization_roles'] },
    });
    const role = await createRole(owner, id, { name: 'Held' });
    const [bob] = [await join([cleaner.id]), await join([role.id])];

    expect(outcomeOf(await remove(bob, role.id, `?replace_with=${ADMIN}`))).toEqual([
      422,
      'permission_not_held',
    ]);
    expect((await remove(bob, role.id, `?replace_with=${cleaner.id}`)).status).toBe(204);
  });

  test('gives all members of the role the replacement, even those who already have it', async () => {
    const { owner, id, path, join, remove } = await organization();
    const role = await createRole(owner, id, {
      name: 'Held',
      permissions: ['can_delete_organization_roles'],
    });
    const bob = await join([role.id]);
    const withReplacement = await join([MEMBER, role.id]);
    for (const { id: account_id } of await people(45))
      await joins.add(id, { account_id }, [role.id]);

    expect((await remove(owner, role.id, `?replace_with=${MEMBER}`)).status).toBe(204);

    for (const who of [bob, withReplacement])
      expect((await askAs(at(who, otherGateway), { path })).status).toBe(200);
    const { body } = await askAs<Listed<MemberRecord>>(owner, {
      path: `${path}/members?limit=200`,
    });
    expect(body.data).toHaveLength(48);
    expect(new Set(body.data.slice(1).map(({ roles }) => JSON.stringify(roles)))).toEqual(
      new Set([JSON.stringify([{ id: MEMBER, name: 'Member' }])]),
    );
    await expect.poll(() => driftOf(gateway), { timeout: 20_000 }).toEqual([]);
  });

  test('works for a caller who has the role, and who loses it with the last batch', async () => {
    const { owner, id, path, join, remove } = await organization();
    const permissions = ['can_delete_organization_roles', 'can_view_organization'];
    const role = await createRole(owner, id, { name: 'Held', permissions });
    const bob = await join([role.id]);
    for (const { id: account_id } of await people(21))
      await joins.add(id, { account_id }, [role.id]);

    expect((await remove(bob, role.id, `?replace_with=${MEMBER}`)).status).toBe(204);

    expect(outcomeOf(await askAs(bob, { path: `${path}/roles` }))).toEqual([
      403,
      'permission_denied',
    ]);
  });
});
