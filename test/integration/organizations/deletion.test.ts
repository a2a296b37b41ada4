import { expect, onTestFinished, test } from 'vitest';
import { goodPassword, signUp, sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  addAccounts,
  askAs,
  at,
  createOrganization,
  driftOf,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, joins } = await useOrganizations();
const otherGateway = await world.gateway();

const path = '/api/organizations';
const remove = (who: SignedUp, id: string, confirm = 'Acme') =>
  askAs(who, {
    method: 'DELETE',
    path: `${path}/${id}`,
    body: { confirm, current_password: goodPassword },
  });
const deleteAccount = (who: SignedUp) =>
  askAs(who, {
    ...{ method: 'DELETE', path: '/api/user/account' },
    body: { confirm: who.email, current_password: goodPassword },
  });

test('the Owner and members of a deleted organization immediately get a 404 on every gateway', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);
  const read = (who: SignedUp) => askAs(at(who, otherGateway), { path: `${path}/${id}` });
  // The gateway has cached the decisions that allow both to see it.
  expect([(await read(ada)).status, (await read(bob)).status]).toEqual([200, 200]);

  expect(outcomeOf(await remove(ada, id, 'acme'))).toEqual([422, 'confirmation_mismatch']);
  expect((await remove(ada, id, ' Acme ')).status).toBe(204);

  for (const who of [ada, bob]) {
    expect(outcomeOf(await read(who))).toEqual([404, 'not_found']);
    expect((await askAs(at(who, otherGateway), { path })).body).toEqual({
      data: [],
      next_cursor: null,
    });
    expect(outcomeOf(await remove(who, id))).toEqual([404, 'not_found']);
  }
});

test('a deleted organization and its memberships are removed in the background, however many there are', async () => {
  const ada = await signUp(world, gateway);
  const { id } = await createOrganization(ada);
  // Enough for more than two batches of the background deletion.
  const people = await addAccounts(world, gateway, 45);
  for (const { id: account_id } of people) await joins.add(id, { account_id });

  expect((await remove(ada, id)).status).toBe(204);

  const remaining = () => world.query('SELECT id FROM organization WHERE id = $1', [id]);
  await expect.poll(remaining, { timeout: 20_000 }).toEqual([]);
  expect(await world.query('SELECT id FROM membership WHERE organization_id = $1', [id])).toEqual(
    [],
  );
});

test('a deleted organization that cannot be removed does not block the removal of others', async () => {
  const [ada, eve] = [await signUp(world, gateway), await signUp(world, gateway, 'eve')];
  const [first, second] = [await createOrganization(ada), await createOrganization(eve)];
  await world.query('CREATE TABLE blocker (organization_id uuid REFERENCES organization)', []);
  onTestFinished(() => world.query('DROP TABLE blocker', []).then(() => {}));
  await world.query('INSERT INTO blocker VALUES ($1)', [first.id]);

  await remove(ada, first.id);
  await remove(eve, second.id);

  const remaining = (id: string) => world.query('SELECT id FROM organization WHERE id = $1', [id]);
  await expect.poll(() => remaining(second.id), { timeout: 20_000 }).toEqual([]);
  expect(await remaining(first.id)).toEqual([{ id: first.id }]);
});

// More wrong or unfinished passwords at once are refused with 429.
test('only one of 8 concurrent deletions succeeds, and the others get a 404', async () => {
  const ada = await signUp(world, gateway);
  const { id } = await createOrganization(ada);

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      remove(at(ada, index % 2 ? gateway : otherGateway), id),
    ),
  );

  expect(sortedStatuses(answers)).toEqual([204, ...Array(7).fill(404)]);
});

test('joins concurrent with the deletion of the organization leave no membership behind', async () => {
  const ada = await signUp(world, gateway);
  const { id } = await createOrganization(ada);
  const people = await Promise.all(Array.from({ length: 5 }, () => signUp(world, gateway)));

  const [deleted] = await Promise.all([
    remove(ada, id),
    ...people.map((person) => joins.add(id, person).catch(() => null)),
  ]);

  expect(deleted.status).toBe(204);
  const remaining = () => world.query('SELECT id FROM membership WHERE organization_id = $1', [id]);
  await expect.poll(remaining, { timeout: 20_000 }).toEqual([]);
});

test('an account that owns an organization cannot be deleted, and the 422 lists its organizations', async () => {
  const ada = await signUp(world, gateway);
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

test('deleting an account ends its memberships and deletes their tuples', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada);
  await joins.add(id, bob);

  expect((await deleteAccount(bob)).status).toBe(204);

  expect(
    await world.query('SELECT account_id FROM membership WHERE organization_id = $1', [id]),
  ).toEqual([{ account_id: ada.account_id }]);
  expect(await driftOf(gateway)).toEqual([]);
});

test('after all these tests the tuples match the rows', async () => {
  const waiting = () => world.query('SELECT id FROM organization WHERE deleted_at IS NOT NULL');
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
  expect(await driftOf(gateway)).toEqual([]);
});
