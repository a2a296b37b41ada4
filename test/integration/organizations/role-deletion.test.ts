import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { MemberRecord } from '../../../src/organizations/members/schema.ts';
import type { RoleRecord } from '../../../src/organizations/roles/schema.ts';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
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
import { interleaved, whileLocked } from '../../support/worlds/interleaved.ts';
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
    remove: (who: SignedUp, role: string, query = '') =>
      askAs(who, { method: 'DELETE', path: `${path}/roles/${role}${query}` }),
  };
}

/** Waits until nobody has a deleted role any more. */
const untilRemoved = (role: string) =>
  expect
    .poll(() => world.query('SELECT id FROM organization_role WHERE id = $1', [role]), {
      timeout: 20_000,
    })
    .toEqual([]);

const people = (count: number) => addAccounts(world, gateway, count);

describe('deleting a role', () => {
  test('is refused with the member count while the role has members, and succeeds otherwise', async () => {
    const { owner, id, path, join, remove } = await withRequests();
    const [used, unused] = [
      await createRole(owner, id, { name: 'Held' }),
      await createRole(owner, id, { name: 'Free' }),
    ];
    await join([used.id]);
    await join([used.id, MEMBER]);

    const refused = await remove(owner, used.id);

    expect([...outcomeOf(refused), refused.body.errors?.[0]?.detail]).toEqual([
      ...[409, 'role_in_use'],
      { members: 2, invitations: 0, connections: 0 },
    ]);
    expect((await remove(owner, unused.id)).status).toBe(204);
    expect((await askAs(owner, { path: `${path}/roles/${unused.id}` })).status).toBe(404);
    expect((await createRole(owner, id, { name: 'free' })).name).toBe('free');
  });

  test.each<[string, () => string, string]>([
    ['an unknown role', () => randomUUID(), 'unknown_role'],
    ['the Owner role', () => OWNER, 'owner_by_transfer'],
  ])('%s cannot be the replacement', async (_what, replacement, code) => {
    const { owner, id, join, remove } = await withRequests();
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
    const { owner, id, join, remove } = await withRequests();
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
    const { owner, id, path, join, remove } = await withRequests();
    const role = await createRole(owner, id, {
      name: 'Held',
      permissions: ['can_delete_organization_roles'],
    });
    const bob = await join([role.id]);
    const withReplacement = await join([MEMBER, role.id]);
    // More than one batch of the background.
    for (const { id: account_id } of await people(20))
      await joins.add(id, { account_id }, [role.id]);

    expect((await remove(owner, role.id, `?replace_with=${MEMBER}`)).status).toBe(204);

    for (const who of [bob, withReplacement])
      expect((await askAs(at(who, otherGateway), { path })).status).toBe(200);
    const { body } = await askAs<Listed<MemberRecord>>(owner, {
      path: `${path}/members?limit=200`,
    });
    expect(body.data).toHaveLength(23);
    expect(new Set(body.data.slice(1).map(({ roles }) => JSON.stringify(roles)))).toEqual(
      new Set([JSON.stringify([{ id: MEMBER, name: 'Member' }])]),
    );
    await untilRemoved(role.id);
    expect(await driftOf(gateway)).toEqual([]);
  }, 120_000);

  test('is one change of the organization, regardless of the number of members', async () => {
    const { owner, id, join, remove } = await withRequests();
    const role = await createRole(owner, id, { name: 'Held' });
    for (let index = 0; index < 2; index += 1) await join([role.id]);

    expect((await remove(owner, role.id, `?replace_with=${MEMBER}`)).status).toBe(204);

    expect(
      await world.query(
        `SELECT kind, id FROM authz_outbox WHERE reason = 'role.delete' AND actor->>'id' = $1`,
        [owner.account_id],
      ),
    ).toEqual([{ kind: 'organization', id }]);
    await untilRemoved(role.id);
  });

  test('gives members what the replacement contains, even as it changes before their rows do', async () => {
    const { owner, id, path, join, remove } = await withRequests();
    const role = await createRole(owner, id, { name: 'Held' });
    const other = await createRole(owner, id, {
      name: 'Reader',
      permissions: ['can_view_organization', 'can_view_organization_roles'],
    });
    const bob = await join([role.id]);
    const both = await join([role.id, other.id]);
    const roles = { path: `${path}/roles` };
    const record = { path: `${path}/roles/${other.id}` };
    const namesOf = async (who: SignedUp) =>
      (await askAs<OrganizationRecord>(who, { path })).body.membership.roles.map(
        ({ name }) => name,
      );
    const [membership] = await world.query<{ id: string }>(
      'SELECT id FROM membership WHERE account_id = $1',
      [bob.account_id],
    );

    await whileLocked(world, membership!.id, async () => {
      expect((await remove(owner, role.id, `?replace_with=${other.id}`)).status).toBe(204);
      expect((await askAs(bob, roles)).status).toBe(200);
      expect([await namesOf(bob), await namesOf(both)]).toEqual([['Reader'], ['Reader']]);
      expect((await askAs<RoleRecord>(owner, record)).body.members).toBe(2);
      expect(outcomeOf(await remove(owner, other.id))).toEqual([409, 'role_in_use']);

      const body = { name: 'Viewer', permissions: ['can_view_organization'] };
      expect((await askAs(owner, { ...record, method: 'PATCH', body })).status).toBe(200);
      expect(outcomeOf(await askAs(bob, roles))).toEqual([403, 'permission_denied']);
      expect(await namesOf(bob)).toEqual(['Viewer']);

      expect((await remove(owner, other.id, `?replace_with=${ADMIN}`)).status).toBe(204);
      expect((await askAs(bob, roles)).status).toBe(200);
      expect([await namesOf(bob), await namesOf(both)]).toEqual([['Admin'], ['Admin']]);
    });

    for (const { id: removed } of [role, other]) await untilRemoved(removed);
    expect([await namesOf(bob), await namesOf(both)]).toEqual([['Admin'], ['Admin']]);
    expect(await driftOf(gateway)).toEqual([]);
  });

  test('is refused if a member gets the unused role before the deletion has its lock', async () => {
    const { owner, id, path, join, remove } = await withRequests();
    const role = await createRole(owner, id, { name: 'Free' });
    const bob = await join();
    const give = () =>
      askAs(owner, {
        ...{ method: 'PATCH', path: `${path}/members/${bob.account_id}` },
        body: { role_ids: [role.id] },
      });

    const removing = () => remove(owner, role.id);
    const [removed, given] = await interleaved(world, id, removing, give, 'SHARE');

    expect([given.status, outcomeOf(removed)]).toEqual([200, [409, 'role_in_use']]);
  });

  test('works for a caller who has the role, and who loses it', async () => {
    const { owner, id, path, join, remove } = await withRequests();
    const permissions = ['can_delete_organization_roles', 'can_view_organization'];
    const role = await createRole(owner, id, { name: 'Held', permissions });
    const bob = await join([role.id]);

    expect((await remove(bob, role.id, `?replace_with=${MEMBER}`)).status).toBe(204);

    expect(outcomeOf(await askAs(bob, { path: `${path}/roles` }))).toEqual([
      403,
      'permission_denied',
    ]);
  });
});
