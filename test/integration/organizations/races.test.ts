import { expect, test } from 'vitest';
import type { SignedUp } from '../../support/people/people.ts';
import {
  askAs,
  at,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { interleaved, untilWaiting } from '../../support/worlds/interleaved.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, organization } = await useOrganizations();
const otherGateway = await world.gateway();

const permissions = [
  'can_view_organization',
  'can_update_organization_members',
  'can_remove_organization_members',
  'can_update_organization_roles',
];

/** Creates an organization with an Owner, a member, and a manager who uses the other gateway. */
async function withManager() {
  const { id, path, owner, join } = await organization();
  const managerRole = await createRole(owner, id, { name: 'Manager', permissions });
  const readerRole = await createRole(owner, id, { name: 'Reader' });
  // Scopes are locked in the order of their ids, so the manager's changes lock the member's first.
  const member = await join();
  const manager = await join([managerRole.id], 'manager');
  const setRoles = (who: SignedUp, { account_id }: SignedUp, role_ids: string[]) =>
    askAs(who, { method: 'PATCH', path: `${path}/members/${account_id}`, body: { role_ids } });
  const scopeOf = async ({ account_id }: SignedUp) => {
    const [row] = await world.query<{ id: string }>(
      'SELECT id FROM membership WHERE organization_id = $1 AND account_id = $2',
      [id, account_id],
    );
    return row!.id;
  };
  return {
    ...{ id, path, owner, member, managerRole, readerRole, setRoles, scopeOf },
    manager: at(manager, otherGateway),
  };
}

test('a change by a manager who is demoted between decision and commit is refused', async () => {
  const { owner, member, manager, managerRole, setRoles, scopeOf, path } = await withManager();

  const [granted, demoted] = await interleaved(
    world,
    await scopeOf(member),
    () => setRoles(manager, member, [MEMBER, managerRole.id]),
    () => setRoles(owner, manager, [MEMBER]),
  );

  expect([outcomeOf(granted), outcomeOf(demoted)]).toEqual([[403, 'permission_denied'], [200]]);
  expect((await askAs(member, { path: `${path}/members` })).status).toBe(403);
});

test('a role that is widened between decision and commit beyond the caller’s permissions is not granted', async () => {
  const { owner, member, manager, readerRole, setRoles, scopeOf, path } = await withManager();
  const wider = { permissions: ['can_view_organization_usage'] };

  const [granted, edited] = await interleaved(
    world,
    await scopeOf(member),
    () => setRoles(manager, member, [MEMBER, readerRole.id]),
    () => askAs(owner, { method: 'PATCH', path: `${path}/roles/${readerRole.id}`, body: wider }),
  );

  expect([outcomeOf(granted), outcomeOf(edited)]).toEqual([[422, 'permission_not_held'], [200]]);
});

test('a member who is promoted above the caller between decision and commit is not removed', async () => {
  const { owner, member, manager, setRoles, scopeOf, id, path } = await withManager();
  const usage = ['can_view_organization_usage'];
  const above = await createRole(owner, id, { name: 'Above', permissions: usage });
  const remove = { method: 'DELETE', path: `${path}/members/${member.account_id}` };

  // Both requests are decided, then wait for the member's scope; the promotion gets it first.
  const [promoted, removed] = await interleaved(
    world,
    await scopeOf(member),
    () => setRoles(owner, member, [above.id]),
    async () => {
      const later = askAs(manager, remove);
      await untilWaiting(world, 2);
      return { later };
    },
  );

  const answer = await removed.later;
  expect([outcomeOf(promoted), outcomeOf(answer)]).toEqual([[200], [403, 'permission_denied']]);
});

test('a role is not edited by a caller who is demoted between decision and commit', async () => {
  const { owner, manager, readerRole, setRoles, path } = await withManager();
  const edit = { method: 'PATCH', path: `${path}/roles/${readerRole.id}`, body: { permissions } };

  const [edited, demoted] = await interleaved(
    world,
    manager.account_id,
    () => askAs(manager, edit),
    () => setRoles(owner, manager, [MEMBER]),
  );

  expect([outcomeOf(edited), outcomeOf(demoted)]).toEqual([[403, 'permission_denied'], [200]]);
});

test('a manager who is demoted while granting roles can grant none afterwards', async () => {
  const { owner, member, manager, managerRole, setRoles } = await withManager();
  for (let round = 0; round < 10; round += 1) {
    expect((await setRoles(owner, member, [MEMBER])).status).toBe(200);
    expect((await setRoles(owner, manager, [managerRole.id])).status).toBe(200);

    const [demoted, ...granted] = await Promise.all([
      setRoles(owner, manager, [MEMBER]),
      ...Array.from({ length: 4 }, () => setRoles(manager, member, [MEMBER, managerRole.id])),
    ]);

    expect(demoted.status).toBe(200);
    // 422: the caller could still change members, but no longer grant the role.
    for (const { status } of granted) expect([200, 403, 422]).toContain(status);
    expect((await setRoles(manager, member, [MEMBER])).status).toBe(403);
  }
  expect(await driftOf(gateway)).toEqual([]);
});
