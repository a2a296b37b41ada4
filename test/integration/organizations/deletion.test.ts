import { afterAll, beforeAll, expect, test } from 'vitest';
import { goodPassword, oneAddress, signUp, sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  addAccounts,
  askAs,
  at,
  createJoins,
  createOrganization,
  driftOf,
  outcomeOf,
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

const path = '/api/organizations';
const remove = (who: SignedUp, id: string, confirm = 'Acme') =>
  askAs(who, { method: 'DELETE', path: `${path}/${id}`, body: { confirm } });
const deleteAccount = (who: SignedUp) =>
  askAs(who, {
    ...{ method: 'DELETE', path: '/api/user/account' },
    body: { confirm: who.email, current_password: goodPassword },
  });

test('a deleted organization is absent at the next request, on every gateway, to its Owner and members', async () => {
  const [ada, bob] = [await signUp(world, here), await signUp(world, here, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);
  const read = (who: SignedUp) => askAs(at(who, there), { path: `${path}/${id}` });
  // Both gateways decided, and cached, that they may see it.
  expect([(await read(ada)).status, (await read(bob)).status]).toEqual([200, 200]);

  expect(outcomeOf(await remove(ada, id, 'acme'))).toEqual([422, 'confirmation_mismatch']);
  expect((await remove(ada, id, ' Acme ')).status).toBe(204);

  for (const who of [ada, bob]) {
    expect(outcomeOf(await read(who))).toEqual([404, 'not_found']);
    expect((await askAs(at(who, there), { path })).body).toEqual({ data: [], next_cursor: null });
    expect(outcomeOf(await remove(who, id))).toEqual([404, 'not_found']);
  }
});

test('its memberships, roles and tuples are removed in the background, whatever their number', async () => {
  const ada = await signUp(world, here);
  const { id } = await createOrganization(ada);
  const people = await addAccounts(world, here, 120);
  for (const { id: account_id } of people) await joins.add(id, { account_id });

  expect((await remove(ada, id)).status).toBe(204);

  const left = () => world.query('SELECT id FROM organization WHERE id = $1', [id]);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  expect(await world.query('SELECT id FROM membership WHERE organization_id = $1', [id])).toEqual(
    [],
  );
});

test('one of 20 concurrent deletions succeeds, the others get 404', async () => {
  const ada = await signUp(world, here);
  const { id } = await createOrganization(ada);

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, one) => remove(at(ada, one % 2 ? here : there), id)),
  );

  expect(sortedStatuses(answers)).toEqual([204, ...Array(19).fill(404)]);
});

test('nobody joins an organization while it is deleted: both happen, or one is refused', async () => {
  const ada = await signUp(world, here);
  const { id } = await createOrganization(ada);
  const people = await Promise.all(Array.from({ length: 5 }, () => signUp(world, here)));

  const [deleted] = await Promise.all([
    remove(ada, id),
    ...people.map((person) => joins.add(id, person).catch(() => null)),
  ]);

  expect(deleted.status).toBe(204);
  const left = () => world.query('SELECT id FROM membership WHERE organization_id = $1', [id]);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
});

test('an account that owns an organization is not deleted: 422 with its organizations', async () => {
  const ada = await signUp(world, here);
  const { id } = await createOrganization(ada);

  const refused = await deleteAccount(ada);

  expect([refused.status, refused.body.errors?.[0]]).toEqual([
    422,
    expect.objectContaining({
      code: 'last_owner',
      detail: { organizations: [{ id, name: 'Acme' }] },
    }),
  ]);
  expect((await remove(ada, id)).status).toBe(204);
  expect((await deleteAccount(ada)).status).toBe(204);
});

test('memberships end with the account; no tuple is left of them', async () => {
  const [ada, bob] = [await signUp(world, here), await signUp(world, here, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);

  expect((await deleteAccount(bob)).status).toBe(204);

  expect(
    await world.query('SELECT account_id FROM membership WHERE organization_id = $1', [id]),
  ).toEqual([{ account_id: ada.account_id }]);
  expect(await driftOf(here)).toEqual([]);
});

test('at the end no tuple differs from its rows', async () => {
  const waiting = () => world.query('SELECT id FROM organization WHERE deleted_at IS NOT NULL');
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
  expect(await driftOf(here)).toEqual([]);
});
